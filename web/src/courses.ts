// The courses of all runs over one another, by the begin of measure or by the first eviction.
import uPlot from 'uplot';
import { type ComparedReport, type Course, armColour } from './compare-data';
import type { Maybe } from './data';
import { chartTable, el, section, table } from './dom';
import { duration, moment, orNotAvailable, percent, rate, type Format } from './format';
import { axis, colour, fitted, fromZero, kRightPadding, logarithmic, valueAxis } from './plot';

type Alignment = 'begin' | 'eviction';

interface Quantity {
  key: 'throughput_per_s' | 'p99_ns' | 'memory_ratio';
  label: string;
  note: string;
  format: Format;
  logarithmic: boolean;
}
const kQuantities: Quantity[] = [
  { key: 'throughput_per_s', label: 'Throughput', note: 'completed requests', format: rate, logarithmic: false },
  { key: 'p99_ns', label: 'p99 latency', note: 'of the requests of each point; logarithmic', format: duration, logarithmic: true },
  { key: 'memory_ratio', label: 'Memory used', note: 'of maxmemory', format: percent, logarithmic: false },
];

interface Line {
  name: string;
  arm: number;
  course: Course;
}

function linesOf(report: ComparedReport): Line[] {
  return report.courses.flatMap((runs, arm) =>
    runs.flatMap((course, run) =>
      course === null ? [] : [{ name: report.comparison.arms[arm]!.runs[run]!.name, arm, course }],
    ),
  );
}

function shift(line: Line, alignment: Alignment): Maybe {
  return alignment === 'begin' ? 0 : line.course.first_eviction_s;
}

/** One axis of time for all lines: a point stands at its end. */
function aligned(lines: Line[], quantity: Quantity, alignment: Alignment): { times: number[]; values: Maybe[][] } {
  const at = (line: Line, index: number) => Math.round(((index + 1) * line.course.step_s - shift(line, alignment)!) * 1e3) / 1e3;
  const shown = lines.filter((line) => shift(line, alignment) !== null);
  const times = [...new Set(shown.flatMap((line) => line.course[quantity.key].map((_, i) => at(line, i))))].sort((a, b) => a - b);
  const place = new Map(times.map((time, i) => [time, i]));
  const values = lines.map((line) => {
    const row: (Maybe | undefined)[] = new Array(times.length).fill(undefined);
    if (shift(line, alignment) !== null)
      line.course[quantity.key].forEach((value, i) => (row[place.get(at(line, i))!] = value));
    return row as Maybe[];
  });
  return { times, values };
}

function panel(report: ComparedReport, lines: Line[], quantity: Quantity, onAlign: ((redraw: (to: Alignment) => void) => void)): HTMLElement | null {
  if (!lines.some((line) => line.course[quantity.key].some((value) => value !== null))) return null;
  const readout = el('output', { class: 'readout' });
  const place = el('div', {
    class: 'plot',
    role: 'img',
    'aria-label': `${quantity.label} over time of ${lines.length} runs; the table has every point.`,
  });
  let current = aligned(lines, quantity, 'begin');
  const describe = (index: number | null | undefined) => {
    if (index === null || index === undefined) {
      readout.textContent = '';
      return;
    }
    const parts = report.comparison.arms.map((arm, i) => {
      const values = lines
        .map((line, at) => (line.arm === i ? current.values[at]![index] : null))
        .filter((value): value is number => value !== null && value !== undefined)
        .sort((a, b) => a - b);
      if (values.length === 0) return null;
      const [low, high] = [values[0]!, values[values.length - 1]!];
      return `${arm.name}: ${low === high ? quantity.format(low) : `${quantity.format(low)} to ${quantity.format(high)}`}`;
    });
    readout.textContent = `${moment(current.times[index]!)}: ${parts.filter((part) => part !== null).join('; ')}`;
  };
  queueMicrotask(() => {
    const plot = fitted(
      place,
      220,
      {
        legend: { show: false },
        padding: [8, kRightPadding, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false }, y: quantity.logarithmic ? { distr: 3, range: logarithmic } : { range: fromZero } },
        axes: [
          axis({ size: 26, values: (_plot, splits) => splits.map((at) => moment(at)) }),
          valueAxis(quantity.format, quantity.logarithmic ? 'logarithmic' : 'linear', {}),
        ],
        series: [
          {},
          ...lines.map((line) => ({
            stroke: () => colour(armColour(line.arm)),
            width: 1.5,
            alpha: lines.length > 12 ? 0.5 : 0.85,
            spanGaps: true,
            points: { show: false },
          })),
        ],
        hooks: { setCursor: [(one) => describe(one.cursor.left! < 0 ? null : one.cursor.idx)] },
      },
      [current.times, ...current.values] as uPlot.AlignedData,
    );
    onAlign((to) => {
      current = aligned(lines, quantity, to);
      plot.setData([current.times, ...current.values] as uPlot.AlignedData);
      describe(null);
    });
  });
  return el(
    'figure',
    { class: 'panel', id: `course-${quantity.key}` },
    el('figcaption', {}, el('span', { class: 'panel-title' }, `${quantity.label} `, el('small', {}, quantity.note)), readout),
    place,
    chartTable(`${quantity.label} over time`, () =>
      table({
        caption: `${quantity.label} over time`,
        head: ['time', ...lines.map((line) => line.name)],
        rows: current.times.map((time, i) => [moment(time), ...current.values.map((values) => orNotAvailable(values[i], quantity.format))]),
      }),
    ),
  );
}

export function courses(report: ComparedReport): HTMLElement | null {
  const lines = linesOf(report);
  if (lines.length === 0) return null;
  const redraws: ((to: Alignment) => void)[] = [];
  const button = (to: Alignment, label: string, usable: boolean) => {
    const element = el('button', { type: 'button', 'aria-pressed': String(to === 'begin'), disabled: !usable }, label);
    element.addEventListener('click', () => {
      for (const other of buttons.children) other.setAttribute('aria-pressed', String(other === element));
      redraws.forEach((redraw) => redraw(to));
    });
    return element;
  };
  const evicting = lines.filter((line) => line.course.first_eviction_s !== null).length;
  const buttons: HTMLElement = el('div', { class: 'buttons', role: 'group', 'aria-label': 'Alignment' });
  buttons.append(button('begin', 'by start', true), button('eviction', 'by first eviction', evicting > 0));
  const left = evicting > 0 && evicting < lines.length ? ` ${lines.length - evicting} never evicted and are left out of the latter.` : '';
  return section(
    'courses',
    'Over time',
    el('p', { class: 'section-lead' }, `A line is a run, from the begin of measure or from its first eviction.${left}`),
    buttons,
    ...kQuantities
      .map((quantity) => panel(report, lines, quantity, (redraw) => redraws.push(redraw)))
      .filter((one): one is HTMLElement => one !== null),
  );
}
