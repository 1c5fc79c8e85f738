// Latency over the measure window: the distribution of every operation and outcome, the table, and
// the heat map over time.
import uPlot from 'uplot';
import { isOpenLoop, latencyLabel, type Curve, type Latency, type Report } from './data';
import { chartTable, details, el, table } from './dom';
import { bytes, duration, grouped, moment, orNotAvailable, percent, quantileName } from './format';
import { axis, colour, fitted, kRightPadding, line, logarithmic, valueAxis } from './plot';
import type { Timeline } from './timeline';

const kColours = ['--ink', '--s1', '--s2', '--s3', '--s4', '--s5'];
const kDashes: (number[] | undefined)[] = [undefined, [6, 3], [2, 3], [10, 4, 2, 4]];

/** In open loop response latency, which a user feels, each with the service of the same below it. */
function orderedRows(report: Report): [label: string, row: Latency][] {
  const rows = report.summary.measure.latencies;
  if (!isOpenLoop(report)) return rows.map((row) => [latencyLabel(row), row]);
  return rows
    .filter((row) => row.from === 'intended')
    .flatMap((row) => {
      const same = rows.find(
        (other) => other.from === 'send' && other.operation === row.operation && other.outcome === row.outcome,
      );
      const pair: [string, Latency][] = [[latencyLabel({ ...row, from: 'send' }), row]];
      if (same) pair.push(['service', same]);
      return pair;
    });
}

export function latencyTable(report: Report): HTMLElement {
  const open = isOpenLoop(report);
  const made = table({
    caption: open ? 'Response latency over the measure window, with the service latency of the same requests' : 'Latency, over the measure window',
    head: ['operation', 'requests', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'p99.99', 'max'],
    rows: orderedRows(report).map(([label, row]) => [
      open && row.from === 'send' ? el('span', { class: 'below' }, label) : label,
      grouped(row.count),
      ...[row.mean_ns, row.p50_ns, row.p90_ns, row.p99_ns, row.p999_ns, row.p9999_ns, row.max_ns].map(
        (value) => orNotAvailable(value, duration),
      ),
    ]),
  });
  made.id = 'latency-table';
  return made;
}

export function slowest(report: Report): HTMLElement | null {
  // Where single requests were kept, they say more.
  if (report.slowest.length === 0 || report.summary.slowest.length > 0) return null;
  const made = table({
    caption: 'The slowest requests: of the second, operation and outcome that they ended in',
    head: ['latency', 'operation', 'outcome', 'from', 'until', ...(isOpenLoop(report) ? ['measured from'] : [])],
    rows: report.slowest.map((slow) => [
      duration(slow.ns),
      slow.operation,
      slow.outcome,
      moment(slow.begin_s),
      moment(slow.end_s),
      ...(isOpenLoop(report) ? [slow.from === 'intended' ? 'intended time' : 'send'] : []),
    ]),
  });
  made.id = 'slowest';
  return made;
}

/** Latency by value size and by popularity, where the load has several of them. */
export function splitTable(report: Report): HTMLElement | null {
  const { splits } = report.summary;
  if (splits.length === 0) return null;
  return table({
    caption: 'Latency by value size, and of hot and cold keys',
    head: ['operation', 'part', 'requests', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    rows: splits.flatMap((split) =>
      split.latencies
        .filter((row) => row.operation !== 'all')
        .map((row) => [
          latencyLabel(row),
          split.split === 'keys' ? `${split.part} keys` : split.part,
          grouped(row.count),
          ...[row.p50_ns, row.p90_ns, row.p99_ns, row.p999_ns, row.max_ns].map((value) =>
            orNotAvailable(value, duration),
          ),
        ]),
    ),
  });
}

/** The slowest requests one by one; of an open loop, by how long their users waited. */
export function slowestTable(report: Report): HTMLElement | null {
  const { slowest } = report.summary;
  if (slowest.length === 0) return null;
  const open = slowest.some((request) => request.response_ns !== null);
  return details(`The ${slowest.length} slowest requests`, () =>
    table({
      caption: 'The slowest requests of the measure window',
      head: [
        'request',
        ...(open ? ['response'] : []),
        'service',
        'sent at',
        'value',
        'worker',
        'connection',
        'key',
      ],
      rows: slowest.map((request) => [
        `${request.operation} ${request.outcome}`,
        ...(open ? [orNotAvailable(request.response_ns, duration)] : []),
        orNotAvailable(request.service_ns, duration),
        moment(request.sent_ns / 1e9),
        request.value_bytes === null ? '' : bytes(request.value_bytes),
        String(request.worker),
        String(request.connection),
        request.key,
      ]),
    }),
  );
}

// --- distributions ---------------------------------------------------------------------------------

function curveAt(curve: Curve, beyond: number): number | null {
  const last = curve.beyond.length - 1;
  if (last < 0 || beyond > curve.beyond[last]! * (1 + 1e-9)) return null;
  const found = curve.beyond.findIndex((at) => at >= beyond * (1 - 1e-9));
  return found < 0 ? null : curve.ns[found]!;
}

export function percentileChart(report: Report): HTMLElement | null {
  return curvesChart(report.curves, 'measure window; both axes logarithmic');
}

/** Distributions over one another. */
export function curvesChart(curves: Curve[], note: string, colours = kColours): HTMLElement | null {
  if (curves.length === 0) return null;
  // All curves on one axis: each has the steps of the others up to its own end.
  const steps = [...new Set(curves.flatMap((curve) => curve.beyond))].sort((a, b) => a - b);
  const values = curves.map((curve) => steps.map((beyond) => curveAt(curve, beyond)));
  const outputs = curves.map(() => el('span', { class: 'value' }));
  const readout = el('output', { class: 'readout' }, 'Point at a curve to read it.');
  const style = (i: number) => ({
    colour: colours[i % colours.length]!,
    dash: kDashes[Math.floor(i / colours.length) % kDashes.length],
  });
  const keys = curves.map((curve, i) => {
    const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
    swatch.style.color = `var(${style(i).colour})`;
    if (style(i).dash) swatch.classList.add('dashed');
    return el('button', { type: 'button', class: 'key', 'aria-pressed': 'true' }, swatch, curve.label, outputs[i]!);
  });
  const place = el('div', {
    class: 'plot',
    role: 'img',
    'aria-label': `Latency by percentile. ${curves
      .map((curve) => `${curve.label}: ${readings(curve)}`)
      .join('; ')}`,
  });
  queueMicrotask(() => {
    const plot = fitted(place, 300, options(steps, curves.length, style, show), [steps, ...values] as uPlot.AlignedData);
    function show(index: number | null): void {
      const beyond = index === null ? undefined : steps[index];
      readout.textContent =
        beyond === undefined
          ? 'Point at a curve to read it.'
          : `${quantileName(beyond)}: one request in ${grouped(beyond)} took longer`;
      outputs.forEach((output, i) => {
        const value = index === null ? undefined : values[i]![index];
        output.textContent = index === null ? '' : orNotAvailable(value, duration);
      });
    }
    keys.forEach((key, i) =>
      key.addEventListener('click', () => {
        const pressed = key.getAttribute('aria-pressed') !== 'true';
        key.setAttribute('aria-pressed', String(pressed));
        plot.setSeries(i + 1, { show: pressed });
      }),
    );
  });
  return el(
    'figure',
    { id: 'percentiles', class: 'panel' },
    el(
      'figcaption',
      {},
      el('span', { class: 'panel-title' }, 'By percentile ', el('small', {}, note)),
      readout,
    ),
    el('div', { class: 'legend' }, ...keys),
    place,
    chartTable('latency by percentile', () =>
      table({
        caption: 'Latency by percentile',
        head: ['percentile', ...curves.map((curve) => curve.label)],
        rows: steps.map((beyond, index) => [
          quantileName(beyond),
          ...values.map((one) => orNotAvailable(one[index], duration)),
        ]),
      }),
    ),
  );
}

function readings(curve: Curve): string {
  return [2, 100, 1000]
    .map((beyond) => [quantileName(beyond), curveAt(curve, beyond)] as const)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${duration(value!)}`)
    .concat(`max ${duration(curve.ns[curve.ns.length - 1]!)}`)
    .join(', ');
}

function options(
  steps: number[],
  curves: number,
  style: (i: number) => { colour: string; dash: number[] | undefined },
  show: (index: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const powers: number[] = [];
  for (let at = 1; at <= steps[steps.length - 1]!; at *= 10) powers.push(at);
  const series: uPlot.Series[] = [{}];
  for (let i = 0; i < curves; ++i) series.push(line(style(i).colour, style(i).dash));
  return {
    legend: { show: false },
    padding: [8, kRightPadding + 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, distr: 3, range: () => [1, Math.max(10, steps[steps.length - 1]!)] },
      y: { distr: 3, range: logarithmic },
    },
    axes: [
      axis({
        size: 26,
        splits: () => powers,
        filter: (_plot, splits) => splits,
        // Where they would run into each other every second label is left off.
        values: (plot, splits) => {
          const every = plot.width / splits.length < 64 ? 2 : 1;
          return splits.map((at, i) =>
            i % every !== 0 ? '' : at === 1 ? 'min' : quantileName(at),
          );
        },
      }),
      valueAxis(duration, 'logarithmic', {}),
    ],
    series,
    hooks: {
      setCursor: [(plot) => show(plot.cursor.left! < 0 ? null : (plot.cursor.idx ?? null))],
    },
  };
}

// --- heat map --------------------------------------------------------------------------------------

export function heatMap(report: Report, timeline: Timeline): HTMLElement | null {
  const { row_ns, columns } = report.heat_map;
  const used = columns.filter((column) => column.counts.some((count) => count > 0));
  if (used.length === 0) return null;
  const lowest = Math.min(...used.map((column) => column.first));
  const most = Math.max(...used.map((column) => Math.max(...column.counts)));
  const place = el('div', {
    class: 'plot',
    role: 'img',
    'aria-label':
      `Heat map of latency over time: requests lie between ${duration(row_ns[lowest]!)} and ` +
      `${duration(row_ns[row_ns.length - 1]!)}. The chart of latency over time has its percentiles.`,
  });
  const output = el('output', { class: 'readout' });
  const draw = (plot: uPlot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = colour('--heat');
    for (const { begin_s, end_s, first, counts } of used) {
      const left = Math.floor(plot.valToPos(begin_s, 'x', true));
      const right = Math.floor(plot.valToPos(end_s, 'x', true));
      if (right < bbox.left || left > bbox.left + bbox.width) continue;
      counts.forEach((count, i) => {
        if (count === 0) return;
        const low = Math.round(plot.valToPos(row_ns[first + i]!, 'y', true));
        const high = Math.round(plot.valToPos(row_ns[first + i + 1]!, 'y', true));
        // By the logarithm of the count, so that single slow requests can be seen beside thousands.
        ctx.globalAlpha = 0.14 + 0.86 * (Math.log(count) / Math.log(Math.max(most, 2)));
        ctx.fillRect(left, high, Math.max(right - left, 1), low - high);
      });
    }
    ctx.restore();
  };
  const describe = (index: number | null): string => {
    if (index === null) return 'A darker cell holds more requests.';
    const end = report.time.end_s[index]!;
    const column = columns.find((one) => one.end_s >= end);
    const total = column?.counts.reduce((sum, count) => sum + count, 0) ?? 0;
    if (!column || total === 0) return 'no completed request';
    const fullest = column.counts.indexOf(Math.max(...column.counts));
    const row = column.first + fullest;
    return `most requests (${percent(column.counts[fullest]! / total)}): ${duration(row_ns[row]!)} to ${duration(row_ns[row + 1]!)}`;
  };
  output.textContent = describe(null);
  queueMicrotask(() =>
    timeline.join(
      place,
      240,
      true,
      [report.time.end_s, report.time.end_s.map(() => null)] as uPlot.AlignedData,
      (options_) => {
        options_.series.push({ points: { show: false } });
        options_.scales!.y = {
          distr: 3,
          range: () => [row_ns[lowest]!, row_ns[row_ns.length - 1]!],
        };
        options_.axes!.push(valueAxis(duration, 'logarithmic', {}));
        options_.hooks!.draw!.unshift(draw);
      },
      describe,
      output,
    ),
  );
  return el(
    'figure',
    { id: 'heat-map', class: 'panel' },
    el(
      'figcaption',
      {},
      el('span', { class: 'panel-title' }, 'Over time ', el('small', {}, isOpenLoop(report) ? 'completed requests by response latency; logarithmic' : 'completed requests by latency; logarithmic')),
      output,
    ),
    place,
    chartTable('requests by latency over time', () => heatTable(report)),
  );
}

function heatTable(report: Report): HTMLElement {
  const { row_ns, columns } = report.heat_map;
  const rows: string[][] = [];
  for (const { begin_s, end_s, first, counts } of columns) {
    counts.forEach((count, i) => {
      if (count === 0) return;
      rows.push([
        `${Number(begin_s.toFixed(3))}\u00a0s`,
        `${Number(end_s.toFixed(3))}\u00a0s`,
        duration(row_ns[first + i]!),
        duration(row_ns[first + i + 1]!),
        grouped(count),
      ]);
    });
  }
  return table({
    caption: 'Completed requests by time and latency',
    head: ['from', 'to', 'latency from', 'latency below', 'requests'],
    rows,
  });
}
