// The parts of a run: its stages one after the other, its loads side by side.
import type { Latency, Report } from './data';
import { el, table } from './dom';
import { duration, grouped, keysText, orNotAvailable, percent, rate, seconds } from './format';

/** Of all completed requests: from their intended time if they have one, else from their send. */
function felt(latencies: Latency[], open: boolean): Latency | undefined {
  const from = open ? 'intended' : 'send';
  return latencies.find((one) => one.operation === 'all' && one.from === from);
}

/** Requests that did not end as hit, miss or ok. */
function bad(outcomes: Record<string, Record<string, number>>): number {
  let sum = 0;
  for (const counts of Object.values(outcomes))
    for (const [outcome, count] of Object.entries(counts))
      if (!['hit', 'miss', 'ok'].includes(outcome)) sum += count;
  return sum;
}

function stageTable(report: Report): HTMLElement {
  const open = report.summary.schedule !== null;
  return table({
    caption: `Stages: parts of measure, without gaps${open ? '; response latency' : ''}`,
    head: ['window', 'from', 'to', 'throughput', 'p50', 'p99', 'p99.9', 'hit ratio', 'memory used, max', 'evictions'],
    rows: report.summary.stages.map(({ is_stage, summary }) => {
      const latency = felt(summary.latencies, open);
      return [
        is_stage ? el('strong', {}, summary.window.name) : summary.window.name,
        seconds(summary.window.begin_ns / 1e9),
        seconds(summary.window.end_ns / 1e9),
        orNotAvailable(summary.throughput_per_s, rate),
        orNotAvailable(latency?.p50_ns, duration),
        orNotAvailable(latency?.p99_ns, duration),
        orNotAvailable(latency?.p999_ns, duration),
        orNotAvailable(summary.hit_ratio_client, percent),
        orNotAvailable(summary.memory_used_max_ratio, percent),
        orNotAvailable(summary.evictions, keysText),
      ];
    }),
  });
}

function loadTable(report: Report): HTMLElement {
  return table({
    caption: 'Loads: each by itself, over measure; of open loops response latency',
    head: ['load', 'asked', 'throughput', 'p50', 'p99', 'p99.9', 'hit ratio', 'not ok', 'slots used', 'busiest worker', 'sent', 'account'],
    rows: report.summary.loads.map((load) => {
      const latency = felt(load.latencies, load.schedule !== null);
      return [
        load.fills ? `${load.load} (fill task)` : load.load,
        load.schedule ? rate(load.schedule.asked_per_s) : 'closed loop',
        orNotAvailable(load.throughput_per_s, rate),
        orNotAvailable(latency?.p50_ns, duration),
        orNotAvailable(latency?.p99_ns, duration),
        orNotAvailable(latency?.p999_ns, duration),
        orNotAvailable(load.hit_ratio_client, percent),
        grouped(bad(load.outcomes)),
        orNotAvailable(load.slots_used_ratio, percent),
        orNotAvailable(load.worker_cpu_max_ratio, percent),
        grouped(load.sent),
        load.adds_up ? 'adds up' : 'DOES NOT ADD UP',
      ];
    }),
  });
}

/** Nothing for a run of one load without stages. */
export function parts(report: Report): HTMLElement[] {
  const made: HTMLElement[] = [];
  if (report.summary.stages.length > 0) made.push(stageTable(report));
  if (report.summary.loads.length > 0) made.push(loadTable(report));
  return made;
}
