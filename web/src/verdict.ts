// The first screen: what came of it, in words and in two or three numbers.
import { felt, isOpenLoop, measuredAnything, service, type Maybe, type Report, type Tone } from './data';
import { el, type Child } from './dom';
import {
  duration,
  grouped,
  kNotAvailable,
  moment,
  orNotAvailable,
  percent,
  rate,
  unbroken,
  type Format,
} from './format';
import { markText } from './moments';

const kToneSigns: Record<Tone, string> = { good: '✓', caution: '!', bad: '✕', plain: '' };

interface Figure {
  label: string;
  value: string;
  note: string;
}

function change(before: Maybe | undefined, after: Maybe | undefined, format: Format): Figure['value'] {
  return `${orNotAvailable(before, format)} → ${orNotAvailable(after, format)}`;
}

function refusedShare(report: Report): Maybe {
  let refused = 0;
  let all = 0;
  for (const outcomes of Object.values(report.summary.measure.outcomes)) {
    // Of the operations that were refused at all: reads are not.
    if (!outcomes.rejected) continue;
    refused += outcomes.rejected;
    for (const [outcome, count] of Object.entries(outcomes)) if (outcome !== 'unsent') all += count;
  }
  return all > 0 ? refused / all : null;
}

/** The numbers that the regime is about. */
function keyFigures(report: Report): Figure[] {
  const { summary } = report;
  const { measure, memory } = summary;
  const all = felt(measure);
  const open = isOpenLoop(report);
  const throughput: Figure = {
    label: 'Throughput',
    value: orNotAvailable(measure.throughput_per_s, rate),
    note: open ? `of ${rate(summary.schedule!.asked_per_s)} asked; completed requests, mean` : 'completed requests, mean',
  };
  const latency: Figure = {
    label: open ? 'Response, p99' : 'Latency, p99',
    value: orNotAvailable(all?.p99_ns, duration),
    note: open
      ? `what users wait, from the intended time; service alone ${orNotAvailable(service(measure)?.p99_ns, duration)}`
      : `half of all requests took at most ${orNotAvailable(all?.p50_ns, duration)}`,
  };
  const hits: Figure = {
    label: 'Hit ratio',
    value: orNotAvailable(measure.hit_ratio_client, percent),
    note: 'of the replies to reads',
  };
  const before = summary.before_first_eviction;
  const after = summary.after_first_eviction;
  switch (summary.regime.name) {
    case 'headroom':
      return [
        {
          label: 'Headroom',
          value: orNotAvailable(memory.headroom_ratio, percent),
          note: 'of maxmemory, at the fullest',
        },
        throughput,
        latency,
      ];
    case 'boundary':
      if (!before || !after) return [throughput, latency, hits];
      return [
        {
          label: 'Throughput',
          value: change(before.throughput_per_s, after.throughput_per_s, rate),
          note: 'before → after the first eviction',
        },
        {
          label: latency.label,
          value: change(felt(before)?.p99_ns, felt(after)?.p99_ns, duration),
          note: 'before → after the first eviction',
        },
        {
          label: 'Hit ratio',
          value: change(before.hit_ratio_client, after.hit_ratio_client, percent),
          note: 'before → after the first eviction',
        },
      ];
    case 'rejecting':
      return [
        {
          label: 'Writes refused',
          value: orNotAvailable(refusedShare(report), percent),
          note: 'of the operations that met OOM replies',
        },
        throughput,
        latency,
      ];
    default:
      return [throughput, latency, hits];
  }
}

function fact(label: string, ...content: Child[]): HTMLElement {
  return el('div', {}, el('dt', {}, label), el('dd', {}, ...content));
}

export function toned(tone: Tone, text: string): HTMLElement {
  const sign = kToneSigns[tone];
  return el(
    'span',
    { class: `toned ${tone}` },
    sign === '' ? null : el('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
    text,
  );
}

/** What was expected of the run, met or not. */
function expectations(report: Report): HTMLElement | null {
  const list = report.summary.expectations;
  if (list.length === 0) return null;
  const unmet = list.filter((one) => !one.met).length;
  return el(
    'div',
    { class: 'expectations' },
    el('h3', {}, unmet === 0 ? 'All expectations met' : `${unmet} of ${list.length} expectations not met`),
    el(
      'ul',
      { class: 'findings' },
      ...list.map((one) =>
        el('li', {}, toned(one.met ? 'good' : 'bad', one.met ? 'met' : 'not met'), ` ${unbroken(one.sentence)}`),
      ),
    ),
  );
}

function warnings(report: Report): HTMLElement | null {
  const list = report.summary.warnings;
  if (list.length === 0) return null;
  return el(
    'div',
    { class: 'warnings' },
    el('h2', {}, list.length === 1 ? '1 warning' : `${list.length} warnings`),
    el(
      'ul',
      {},
      ...list.map((warning) =>
        el(
          'li',
          {},
          el('b', {}, warning.kind),
          el('p', {}, unbroken(warning.seen)),
          el('p', { class: 'next-step' }, el('span', {}, 'Next step: '), warning.next_step),
        ),
      ),
    ),
  );
}

export function verdict(report: Report): HTMLElement {
  const { words, summary } = report;
  const measured = measuredAnything(report);
  return el(
    'header',
    { id: 'verdict' },
    el(
      'p',
      { class: 'kicker' },
      el('span', { class: 'brand' }, 'Headroom'),
      report.served.list === null ? null : el('a', { href: report.served.list }, 'All runs'),
      el('span', { class: 'scenario' }, summary.run.scenario),
      el('time', { datetime: summary.run.started_utc }, started(summary.run.started_utc)),
    ),
    el('h1', {}, unbroken(words.headline)),
    measured ? el('p', { class: 'lead' }, unbroken(summary.regime.evidence)) : null,
    measured
      ? el(
          'dl',
          { class: 'figures' },
          ...keyFigures(report).map(({ label, value, note }) =>
            el(
              'div',
              {},
              el('dt', {}, label),
              el('dd', {}, el('span', { class: 'big' }, value), el('small', {}, note)),
            ),
          ),
        )
      : null,
    el(
      'dl',
      { class: 'facts' },
      fact('State', toned(words.state_tone, words.state)),
      measured
        ? fact('Regime', toned(words.headline_tone, summary.regime.name ?? kNotAvailable))
        : null,
      measured
        ? fact('Limiter', el('b', {}, summary.limiter.name), `. ${unbroken(summary.limiter.evidence)}`)
        : null,
      fact('Target', unbroken(words.target)),
      fact('Load', words.load),
      fact('Window', words.measured),
    ),
    expectations(report),
    warnings(report),
  );
}

function started(iso: string): string {
  return iso.replace('T', ' ').replace('Z', '\u00a0UTC');
}

/** What happened when, in words: the text behind the marks in the charts. */
export function moments(report: Report): HTMLElement | null {
  const { list, left_out } = report.marks;
  if (list.length === 0) return null;
  return el(
    'div',
    { class: 'moments' },
    el('h3', {}, 'Marked in the charts'),
    el(
      'ul',
      {},
      ...list.slice(0, 12).map((mark) =>
        el(
          'li',
          {},
          el('b', {}, moment(mark.time_s)),
          ` ${markText(mark)}`,
          mark.text === '' ? null : el('small', {}, ` ${mark.text}`),
        ),
      ),
    ),
    list.length > 12 || left_out > 0
      ? el('p', { class: 'note' }, `and ${grouped(list.length - Math.min(12, list.length) + left_out)} more, in headroom export`)
      : null,
  );
}
