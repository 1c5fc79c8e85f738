// Repeated runs of one thing: every run as a faint line, the median bold, the ranges, and what the
// runs agree on and what they do not. Made from the block of JSON that src/report/group_html.cc
// writes into it.
import uPlot from 'uplot';
import type { Maybe, Tone } from './data';
import { append, chartTable, details, el, section, table, type Child } from './dom';
import { bytes, decimal, duration, keysText, kNotAvailable, moment, orNotAvailable, percent, rate, requestsText, seconds, shortCount, unbroken, type Format } from './format';
import { kTimeSteps, timeLabel } from './moments';
import { axis, colour, fitted, fromZero, kRightPadding, line, logarithmic, valueAxis } from './plot';

interface Figure {
  label: string;
  meaning: string;
  runs: number;
  min: Maybe;
  median: Maybe;
  max: Maybe;
  mean: Maybe;
  cv_ratio: Maybe;
  values: Maybe[];
}

interface Run {
  name: string;
  file: string;
  started_utc: string | null;
  state: string;
  regime: string | null;
  limiter: string | null;
  faults: { kind: string; seen: string }[];
}

interface Line {
  key: string;
  title: string;
  unit: string;
  /** Whether a point of several seconds is their highest, else it is their mean. */
  highest: boolean;
  runs: Maybe[][];
  median: Maybe[];
}

interface Group {
  words: { headline: string; tone: Tone; scenario: string; target: string; load: string };
  group: {
    runs: Run[];
    contract: { standing: string; reasons: { kind: string; seen: string; settle: string }[] };
    figures: Record<string, Figure>;
    agreed: Record<string, string>;
    differing: Record<string, Maybe[] | (string | null)[]>;
  };
  step_s: number;
  lines: Line[];
  served: { list: string | null };
}

const group = JSON.parse(document.getElementById('headroom-data')?.textContent ?? '') as Group;
const { runs, figures, contract } = group.group;

/** Told by the unit at the end of a figure's key. */
function formatOf(key: string): Format {
  if (key.endsWith('_per_s')) return rate;
  if (key.endsWith('_ratio')) return percent;
  if (key.endsWith('_ns')) return duration;
  if (key.endsWith('_bytes')) return bytes;
  if (key.endsWith('_cpu_s')) return requestsText;
  if (key.endsWith('_s')) return seconds;
  return key.includes('balance') ? decimal : keysText;
}

function figureText(key: string, value: Maybe): string {
  return orNotAvailable(value, key === 'hit_ratio' ? percent : formatOf(key));
}

// --- charts ----------------------------------------------------------------------------------------

function chart(one: Line): HTMLElement | null {
  const known = one.runs.flat().filter((value): value is number => value !== null);
  if (known.length === 0) return null;
  const format = formatOf(one.key);
  const isTime = one.key.endsWith('_ns');
  const times = one.median.map((_, i) => (i + 1) * group.step_s);
  const readout = el('output', { class: 'readout' }, 'Point at the chart to read its values.');
  const place = el('div', {
    class: 'plot',
    role: 'img',
    'aria-label':
      `${one.title} of ${runs.length} runs over time, with their median. ` +
      one.runs
        .map((values, i) => {
          const own = values.filter((value): value is number => value !== null);
          return own.length === 0
            ? `run ${i + 1}: ${kNotAvailable}`
            : `run ${i + 1}: from ${format(Math.min(...own))} to ${format(Math.max(...own))}`;
        })
        .join('; '),
  });
  const show = (index: number | null) => {
    if (index === null || times[index] === undefined) {
      readout.textContent = 'Point at the chart to read its values.';
      return;
    }
    const own = one.runs.map((values) => values[index] ?? null).filter((value): value is number => value !== null);
    const range = own.length === 0 ? kNotAvailable : `${format(Math.min(...own))} to ${format(Math.max(...own))}`;
    readout.textContent = `${moment(times[index]! - group.step_s)} to ${moment(times[index]!)}: median ${orNotAvailable(one.median[index], format)}, runs ${range}`;
  };
  queueMicrotask(() => {
    const options: Omit<uPlot.Options, 'width' | 'height'> = {
      legend: { show: false },
      padding: [8, kRightPadding, 0, 0],
      cursor: { y: false, drag: { x: true, y: false }, sync: { key: 'group' }, points: { show: false } },
      scales: {
        x: { time: false },
        y: isTime
          ? { distr: 3, range: logarithmic }
          : { range: one.key.endsWith('_ratio') ? (_plot, _low, high) => [0, Math.max(1, high ?? 0) * 1.06] : fromZero },
      },
      axes: [
        axis({
          size: 26,
          incrs: kTimeSteps,
          space: 70,
          values: (_plot, splits, _axis, _space, step) => splits.map((at) => timeLabel(at, step)),
        }),
        valueAxis(one.key.endsWith('_per_s') ? (value) => (value === 0 ? '0' : `${shortCount(value)}/s`) : format, isTime ? 'logarithmic' : 'linear', {}),
      ],
      series: [
        {},
        ...one.runs.map((): uPlot.Series => ({
          ...line('--s1', undefined, 1),
          stroke: () => `${colour('--s1')}66`,
        })),
        line('--ink', undefined, 2.5),
      ],
      hooks: { setCursor: [(plot) => show(plot.cursor.left! < 0 ? null : (plot.cursor.idx ?? null))] },
    };
    fitted(place, 180, options, [times, ...one.runs, one.median] as uPlot.AlignedData);
  });
  const title = one.title === 'p99' ? one.title : one.title.charAt(0).toUpperCase() + one.title.slice(1);
  const grain = group.step_s === 1 ? '' : `; a point is ${one.highest ? 'the highest' : 'the mean'} of ${group.step_s} seconds`;
  return el(
    'figure',
    { id: one.key.replace(/_.*/, ''), class: 'panel' },
    el(
      'figcaption',
      {},
      el('span', { class: 'panel-title' }, title, ' ', el('small', {}, `${one.unit}${isTime ? '; logarithmic' : ''}${grain}`)),
      readout,
    ),
    place,
    chartTable(title, () =>
      table({
        caption: `${title}, from the begin of measuring`,
        head: ['until', ...runs.map((_, i) => `run ${i + 1}`), 'median'],
        rows: times.map((end, at) => [
          moment(end),
          ...one.runs.map((values) => orNotAvailable(values[at], format)),
          orNotAvailable(one.median[at], format),
        ]),
      }),
    ),
  );
}

// --- tables ----------------------------------------------------------------------------------------

const kNamespace = 'http://www.w3.org/2000/svg';

/** The runs of one figure as dots between its least and its largest, with the median. */
function dots(figure: Figure): SVGElement {
  const width = 144;
  const picture = document.createElementNS(kNamespace, 'svg');
  const add = (name: string, attributes: Record<string, string | number>) => {
    const made = document.createElementNS(kNamespace, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    picture.append(made);
  };
  picture.setAttribute('class', 'dots');
  picture.setAttribute('viewBox', `0 0 ${width} 20`);
  picture.setAttribute('aria-hidden', 'true');
  const { min, max, median } = figure;
  if (min === null || max === null || median === null) return picture;
  const x = (value: number) => 6 + (max > min ? (value - min) / (max - min) : 0.5) * (width - 12);
  add('line', { class: 'range', x1: 6, x2: width - 6, y1: 10, y2: 10 });
  for (const value of figure.values) if (value !== null) add('circle', { cx: x(value).toFixed(1), cy: 10, r: 4 });
  add('line', { class: 'middle', x1: x(median).toFixed(1), x2: x(median).toFixed(1), y1: 3, y2: 17 });
  return picture;
}

function ranges(): HTMLElement {
  return table({
    caption: 'Ranges, over the measure window; every run counts once',
    head: ['figure', 'from min to max', 'min', 'median', 'max', 'mean', 'CV', 'runs', ...runs.map((_, i) => `run ${i + 1}`)],
    rows: Object.entries(figures).map(([key, figure]) => [
      el('span', { title: figure.meaning }, figure.label),
      dots(figure) as unknown as HTMLElement,
      ...[figure.min, figure.median, figure.max, figure.mean].map((value) => figureText(key, value)),
      orNotAvailable(figure.cv_ratio, percent),
      String(figure.runs),
      ...figure.values.map((value) => figureText(key, value)),
    ]),
  });
}

function runTable(): HTMLElement {
  return table({
    caption: 'Runs, as they were given',
    head: ['run', 'file', 'started', 'state', 'regime', 'limiter'],
    rows: runs.map((run, i) => [
      `run ${i + 1}`,
      group.served.list === null ? run.file : el('a', { href: `/run/${run.file.split('/').map(encodeURIComponent).join('/')}` }, run.file),
      run.started_utc?.replace('T', ' ').replace('Z', '\u00a0UTC') ?? kNotAvailable,
      run.state,
      run.regime ?? kNotAvailable,
      run.limiter ?? kNotAvailable,
    ]),
  });
}

function agreement(): Child[] {
  const configuration = 'engine.config.';
  const agreed = Object.entries(group.group.agreed);
  const differing = Object.entries(group.group.differing);
  const shown = agreed.filter(([key]) => !key.startsWith(configuration));
  const rest = agreed.filter(([key]) => key.startsWith(configuration));
  const differs = table({
    caption: 'What they do not agree on',
    head: ['verdict or setting', ...runs.map((_, i) => `run ${i + 1}`)],
    rows: differing.map(([key, values]) => [key, ...values.map((value) => (value === null ? 'unknown' : String(value)))]),
  });
  differs.classList.add('differs');
  const same = table({ caption: 'What all runs agree on', head: ['verdict or setting', 'value'], rows: shown });
  same.classList.add('differs');
  return [
    differing.length === 0 ? el('p', { class: 'note' }, 'The runs differ in no verdict and no setting.') : differs,
    same,
    rest.length === 0
      ? null
      : details(`${rest.length} settings of the engine that agree`, () =>
          table({ caption: 'What CONFIG GET told of every run', head: ['setting', 'value'], rows: rest.map(([key, value]) => [key.slice(configuration.length), value === '' ? '(empty)' : value]) }),
        ),
  ];
}

function reservations(): HTMLElement | null {
  if (contract.reasons.length === 0) return null;
  return el(
    'div',
    { class: 'warnings' },
    el('h2', {}, `Are they repeats of one thing? ${contract.standing}`),
    el(
      'ul',
      {},
      ...contract.reasons.map((reason) =>
        el(
          'li',
          {},
          el('b', {}, reason.kind),
          el('p', {}, unbroken(reason.seen)),
          el('p', { class: 'next-step' }, el('span', {}, 'What would settle it: '), reason.settle),
        ),
      ),
    ),
  );
}

/** The figures that every reader looks for, with their range. */
function keyFigures(): HTMLElement {
  const keys = ['throughput_per_s', 'response_p99_ns' in figures ? 'response_p99_ns' : 'latency_p99_ns', 'hit_ratio'];
  return el(
    'dl',
    { class: 'figures' },
    ...keys
      .filter((key) => key in figures)
      .map((key) => {
        const figure = figures[key]!;
        return el(
          'div',
          {},
          el('dt', {}, `Median ${figure.label}`),
          el(
            'dd',
            {},
            el('span', { class: 'big' }, figureText(key, figure.median)),
            el('small', {}, `from ${figureText(key, figure.min)} to ${figureText(key, figure.max)}${figure.cv_ratio === null ? '' : `, CV ${percent(figure.cv_ratio)}`}`),
          ),
        );
      }),
  );
}

function page(): void {
  const { words } = group;
  document.title = `${words.scenario}: ${words.headline}`;
  const charts = group.lines.map(chart);
  append(document.getElementById('group')!, [
    el(
      'header',
      { id: 'verdict' },
      el(
        'p',
        { class: 'kicker' },
        el('span', { class: 'brand' }, 'Headroom'),
        group.served.list === null ? null : el('a', { href: group.served.list }, 'All runs'),
        el('span', { class: 'scenario' }, words.scenario),
      ),
      el('h1', {}, unbroken(words.headline)),
      keyFigures(),
      el(
        'dl',
        { class: 'facts' },
        el('div', {}, el('dt', {}, 'Target'), el('dd', {}, unbroken(words.target))),
        el('div', {}, el('dt', {}, 'Load'), el('dd', {}, words.load)),
      ),
      reservations(),
    ),
    section(
      'over-time',
      'Over time',
      el('p', { class: 'section-lead' }, `Every run is a faint line from the begin of its measuring; the bold one is their median${group.step_s === 1 ? ' in each second' : ''}. Drag to zoom, click twice to see all.`),
      ...charts,
    ),
    section('ranges', 'Ranges', ranges(), runTable()),
    section('agreement', 'What they agree on', ...agreement()),
    el('footer', {}, el('p', {}, 'Made by headroom from run files, each of which holds every second of its run.')),
  ]);
}

page();
