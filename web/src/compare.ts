// The page of a comparison: may these runs be compared, what the numbers support, every run, and
// where it stops.
import { armColour, type ComparedReport, type Difference, plural } from './compare-data';
import { claimCards, claimCounts } from './claims';
import { courses } from './courses';
import { append, el, section, type Child } from './dom';
import { percent, unbroken } from './format';
import { curvesChart } from './latency';
import { strips } from './strips';
import { toned } from './verdict';

const kTones = { comparable: 'good', conditional: 'caution', invalid: 'bad' } as const;
const kMeanings = {
  comparable: 'Nothing but what is meant to differ does.',
  conditional: 'With the reservations below.',
  invalid: 'Nothing may be read from these numbers.',
} as const;

function headline({ comparison }: ComparedReport): string {
  if (comparison.contract.standing === 'invalid') return 'These runs may not be compared';
  if (comparison.baseline)
    return comparison.baseline.regressed ? 'Worse than the baseline' : 'Nothing is shown to be worse than the baseline';
  const primary = comparison.claims.filter((one) =>
    ['throughput-order', 'latency-order'].includes(one.claim),
  );
  const supported = primary.find((one) => one.verdict === 'supported');
  if (supported) return supported.statement.replace(/\.$/, '');
  return comparison.arms.length > 1
    ? 'No difference between the arms is supported'
    : 'One arm: do its runs agree?';
}

function difference(one: Difference): string {
  return `${one.key}: ${one.values.map((value) => value ?? 'unknown').join(' against ')}`;
}

function arms(report: ComparedReport): HTMLElement {
  return el(
    'ul',
    { class: 'arms' },
    ...report.comparison.arms.map((arm, i) => {
      const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.color = `var(${armColour(i)})`;
      return el('li', {}, swatch, el('b', {}, arm.name), ` ${plural(arm.runs.length, 'run')}`);
    }),
  );
}

function contract({ comparison }: ComparedReport): HTMLElement {
  const { standing, reasons, factors, controls } = comparison.contract;
  return el(
    'div',
    { id: 'contract' },
    el('p', {}, toned(kTones[standing], standing), ` ${kMeanings[standing]}`),
    factors.length > 0
      ? el('p', { class: 'note' }, `Meant to differ: ${factors.map(difference).join('; ')}.`)
      : null,
    controls.length > 0
      ? el('p', { class: 'note' }, `Not meant to: ${controls.map(difference).join('; ')}.`)
      : null,
    reasons.length > 0
      ? el(
          'ul',
          { class: 'reasons' },
          ...reasons.map((reason) =>
            el(
              'li',
              { class: reason.standing },
              el('b', {}, reason.name),
              el('p', {}, unbroken(reason.seen)),
              el('p', { class: 'next-step' }, el('span', {}, 'Remedy: '), reason.settle),
            ),
          ),
        )
      : null,
  );
}

function baseline({ comparison }: ComparedReport): HTMLElement | null {
  if (!comparison.baseline) return null;
  const { margin_ratio, figures } = comparison.baseline;
  const signs = { regressed: 'bad', held: 'good' } as Record<string, 'good' | 'bad'>;
  return section(
    'baseline',
    'Against the baseline',
    el(
      'p',
      { class: 'section-lead' },
      margin_ratio > 0
        ? `Worse is what lies more than ${percent(margin_ratio)} beyond the baseline, tested.`
        : 'Worse is what a test finds to be so; noise is not.',
    ),
    el(
      'ul',
      { class: 'findings' },
      ...figures.map((figure) =>
        el('li', {}, toned(signs[figure.verdict] ?? 'plain', figure.verdict), ` ${unbroken(figure.sentence)}`),
      ),
    ),
  );
}

function expectations({ comparison }: ComparedReport): HTMLElement | null {
  const runs = comparison.arms.flatMap((arm) => arm.runs);
  const conditions = [...new Set(runs.flatMap((run) => run.expectations.map((one) => one.condition)))];
  if (conditions.length === 0) return null;
  return section(
    'expectations',
    'Expectations',
    el(
      'ul',
      { class: 'findings' },
      ...conditions.map((condition) => {
        const unmet = runs.flatMap((run) =>
          run.expectations
            .filter((one) => one.condition === condition && !one.met)
            .map((one) => `${run.name}: ${one.sentence}`),
        );
        return el(
          'li',
          {},
          toned(unmet.length === 0 ? 'good' : 'bad', unmet.length === 0 ? 'met' : 'not met'),
          ` ${condition}: met by ${runs.length - unmet.length} of ${plural(runs.length, 'run')}`,
          ...unmet.map((line) => el('small', {}, unbroken(line))),
        );
      }),
    ),
  );
}

/** Those of the arms that have a curve. */
function curveColours({ comparison, curves }: ComparedReport): string[] {
  return curves.map((curve) => armColour(comparison.arms.findIndex((arm) => arm.name === curve.label)));
}

function stops({ comparison }: ComparedReport): HTMLElement {
  return section(
    'stops',
    'Where this comparison stops',
    comparison.stops.length === 0
      ? el('p', { class: 'section-lead' }, 'No guard fired.')
      : el('ul', { class: 'stops' }, ...comparison.stops.map((stop) => el('li', {}, unbroken(stop)))),
  );
}

function contents(sections: HTMLElement[]): HTMLElement {
  return el(
    'nav',
    { 'aria-label': 'Contents' },
    ...sections.map((one) => el('a', { href: `#${one.id}` }, one.querySelector('h2')?.textContent ?? '')),
  );
}

export function showComparison(report: ComparedReport): void {
  const { comparison } = report;
  const valid = comparison.contract.standing !== 'invalid';
  document.title = `${headline(report)}: ${report.title}`;
  const latency =
    report.curves.length > 0
      ? section(
          'latency',
          'Latency',
          el('p', { class: 'section-lead' }, 'All completed requests of each arm: the histograms of its runs, merged. Percentiles are never averages.'),
          curvesChart(report.curves, 'all requests of the arm; both axes logarithmic', curveColours(report)),
        )
      : null;
  const sections = [
    valid ? baseline(report) : null,
    expectations(report),
    valid ? section('claims', 'Claims', ...claimCards(report)) : null,
    section('runs', 'Every run', ...strips(report)),
    valid ? latency : null,
    courses(report),
    valid ? stops(report) : null,
  ].filter((one): one is HTMLElement => one !== null);
  const header = el(
    'header',
    { id: 'verdict' },
    el('p', { class: 'kicker' }, el('span', { class: 'brand' }, 'Headroom'), el('span', { class: 'scenario' }, 'comparison')),
    el('h1', {}, unbroken(headline(report))),
    arms(report),
    valid ? claimCounts(report) : null,
    contract(report),
  );
  const children: Child[] = [
    header,
    contents(sections),
    ...sections,
    el('footer', {}, el('p', {}, 'Made by headroom compare. docs/CLAIMS.md explains every claim, guard and reason.')),
  ];
  append(document.getElementById('report')!, children);
}
