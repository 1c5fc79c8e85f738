// Strip plots: every run of every arm as a mark on a common axis, with the range of each arm. Drawn as
// SVG, so that each run can be reached and read.
import { type ComparedReport, type Figure, type Spread, armColour, plural } from './compare-data';
import { chartTable, el, table } from './dom';
import { duration, exactBytes, grouped, orNotAvailable, percent, rate, seconds, unbroken, type Format } from './format';

const kFormats: Record<Figure['unit'], Format> = {
  per_s: rate,
  ratio: percent,
  ns: duration,
  s: seconds,
  bytes: exactBytes,
  count: (value) => (Math.abs(value) >= 100 || Number.isInteger(value) ? grouped(value) : value.toPrecision(3)),
};

export function formatOf(figure: Figure): Format {
  return kFormats[figure.unit];
}

const kSvg = 'http://www.w3.org/2000/svg';
const kRow = 34;

function svg(tag: string, attributes: Record<string, string | number>, ...children: Node[]): SVGElement {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

function title(text: string): SVGElement {
  const element = document.createElementNS(kSvg, 'title');
  element.textContent = text;
  return element;
}

interface Axis {
  low: number;
  high: number;
}

/** From the lowest to the highest of all arms, with room at both ends. */
function axisOf(spreads: Spread[]): Axis | null {
  const known = spreads.flatMap((spread) =>
    [spread.min, spread.max, spread.median, spread.mean, ...spread.values].filter((one): one is number => one !== null),
  );
  if (known.length === 0) return null;
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = high > low ? (high - low) * 0.06 : Math.max(Math.abs(high) * 0.02, 1e-9);
  return { low: low - room, high: high + room };
}

function runValues(report: ComparedReport, arm: number, figure: Figure): { name: string; value: number }[] {
  const { runs, figures } = report.comparison.arms[arm]!;
  const named = runs
    .map((run) => ({ name: run.name, value: run.figures[figure.key] ?? null }))
    .filter((one): one is { name: string; value: number } => one.value !== null);
  if (named.length > 0) return named;
  // A table that gives the values of a group without saying whose they are.
  return (figures[figure.key]?.values ?? [])
    .filter((value): value is number => value !== null)
    .map((value) => ({ name: 'a run', value }));
}

/** One row: the range, the middle, and every run. Positions are percent of the width. */
function row(report: ComparedReport, arm: number, figure: Figure, axis: Axis): SVGElement {
  const format = formatOf(figure);
  const spread = report.comparison.arms[arm]!.figures[figure.key];
  const at = (value: number) => `${(100 * (value - axis.low)) / (axis.high - axis.low)}%`;
  const marks: Node[] = [];
  const y = kRow / 2;
  marks.push(svg('line', { x1: '0%', x2: '100%', y1: y, y2: y, class: 'strip-base' }));
  if (spread && spread.min !== null && spread.max !== null)
    marks.push(
      svg('line', { x1: at(spread.min), x2: at(spread.max), y1: y, y2: y, class: 'strip-range' }, title(`range ${format(spread.min)} to ${format(spread.max)}`)),
    );
  const middle = spread?.median ?? spread?.mean ?? null;
  if (middle !== null)
    marks.push(
      svg('line', { x1: at(middle), x2: at(middle), y1: y - 11, y2: y + 11, class: 'strip-middle' }, title(`${spread!.median === null ? 'mean' : 'median'} ${format(middle)}`)),
    );
  for (const { name, value } of runValues(report, arm, figure))
    marks.push(svg('circle', { cx: at(value), cy: y, r: 5, class: 'strip-run' }, title(`${name}: ${format(value)}`)));
  const element = svg('svg', { class: 'strip', height: kRow, width: '100%', 'aria-hidden': 'true' }, ...marks);
  element.style.color = `var(${armColour(arm)})`;
  return element;
}

function strip(report: ComparedReport, figure: Figure): HTMLElement | null {
  const { arms } = report.comparison;
  const axis = axisOf(arms.map((arm) => arm.figures[figure.key]).filter((one): one is Spread => one !== undefined));
  if (axis === null) return null;
  const format = formatOf(figure);
  const sentence = arms
    .map((arm) => {
      const spread = arm.figures[figure.key];
      return `${arm.name}: ${orNotAvailable(spread?.min, format)} to ${orNotAvailable(spread?.max, format)}`;
    })
    .join('; ');
  const better = figure.better === 'neither' ? '' : `; ${figure.better} is better`;
  return el(
    'figure',
    { class: 'panel strips', id: `strip-${figure.key}` },
    el(
      'figcaption',
      {},
      el('span', { class: 'panel-title' }, `${figure.label} `, el('small', {}, `${figure.meaning}${better}`)),
    ),
    el(
      'div',
      { role: 'img', 'aria-label': `${figure.label} of every run. ${sentence}` },
      ...arms.map((arm, i) =>
        el(
          'div',
          { class: 'strip-row' },
          el('span', { class: 'strip-name' }, arm.name),
          row(report, i, figure, axis) as unknown as HTMLElement,
          el('span', { class: 'strip-value' }, orNotAvailable(arm.figures[figure.key]?.median ?? arm.figures[figure.key]?.mean, format)),
        ),
      ),
      el(
        'div',
        { class: 'strip-row strip-axis' },
        el('span', {}),
        el('span', { class: 'strip-ends' }, el('span', {}, format(axis.low < 0 && figure.unit !== 'ratio' ? 0 : axis.low)), el('span', {}, format(axis.high))),
        el('span', {}, 'median'),
      ),
    ),
    ...figure.contrasts.map((contrast) =>
      el(
        'p',
        { class: 'note' },
        arms.length > 2 ? `${arms[contrast.second]!.name} / ${arms[contrast.first]!.name}: ` : '',
        unbroken(contrast.sentence),
      ),
    ),
    chartTable(figure.label, () =>
      table({
        caption: `${figure.label} of every run`,
        head: ['run', 'arm', figure.label],
        rows: arms.flatMap((arm, i) =>
          runValues(report, i, figure).map(({ name, value }) => [name, arm.name, format(value)]),
        ),
      }),
    ),
  );
}

const kFirst = ['throughput_per_s', 'latency_p50_ns', 'latency_p99_ns', 'latency_p999_ns', 'hit_ratio', 'per_key_bytes'];

export function strips(report: ComparedReport): HTMLElement[] {
  const first = report.figures.filter((figure) => kFirst.includes(figure.key));
  const rest = report.figures.filter((figure) => !kFirst.includes(figure.key));
  const drawn = first.map((figure) => strip(report, figure)).filter((one): one is HTMLElement => one !== null);
  const others = rest.map((figure) => strip(report, figure)).filter((one): one is HTMLElement => one !== null);
  return [
    el('p', { class: 'section-lead' }, 'A dot is a run, the bar reaches from the lowest to the highest, the stroke is the median.'),
    faults(report),
    ...drawn,
    others.length > 0
      ? el('details', { class: 'more' }, el('summary', {}, `${plural(others.length, 'more figure')}`), ...others)
      : null,
  ].filter((one): one is HTMLElement => one !== null);
}

function faults(report: ComparedReport): HTMLElement | null {
  const faulty = report.comparison.arms.flatMap((arm) => arm.runs.filter((run) => run.faults.length > 0));
  if (faulty.length === 0) return null;
  return el(
    'ul',
    { class: 'reasons' },
    ...faulty.map((run) =>
      el(
        'li',
        { class: 'invalid' },
        el('b', {}, run.name),
        ...run.faults.map((fault) => el('p', {}, `${fault.kind}: ${unbroken(fault.seen)}`)),
      ),
    ),
  );
}
