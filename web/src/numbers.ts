// Every figure of the summary with its unit, its window and what it means.
import { felt, isOpenLoop, service, type Latency, type Maybe, type Report, type WindowSummary } from './data';
import { el, table, type Child } from './dom';
import {
  bytes,
  decimal,
  duration,
  exactBytes,
  grouped,
  keysText,
  kNotAvailable,
  meanRequests,
  orNotAvailable,
  percent,
  rate,
  requestsText,
  seconds,
  slotsText,
  type Format,
} from './format';

interface Figure {
  label: string;
  /** Its path in the JSON summary, which is also shown on hover. */
  path: string;
  format: Format;
  /** What it is; docs/MEASUREMENT.md has more. */
  meaning: string;
  /** Under which name not_available has the reason, where that differs from the path. */
  reason?: string;
}

const kThroughput: Figure[] = [
  { label: 'completed', path: 'measure.completed', format: requestsText, meaning: 'requests that ended as hit, miss or ok' },
  { label: 'throughput', path: 'measure.throughput_per_s', format: rate, meaning: 'completed / seconds of the window' },
  { label: 'peak minute', path: 'measure.peak_minute_throughput_per_s', reason: 'measure.peak_throughput_per_minute', format: rate, meaning: 'largest throughput of a full minute' },
  { label: 'peak second', path: 'measure.peak_second_throughput_per_s', reason: 'measure.peak_throughput_per_second', format: rate, meaning: 'largest throughput of a full second' },
  { label: 'CV per minute', path: 'measure.throughput_cv_per_minute_ratio', reason: 'measure.throughput_cv_per_minute', format: percent, meaning: 'standard deviation / mean of full minutes' },
  { label: 'CV per second', path: 'measure.throughput_cv_per_second_ratio', reason: 'measure.throughput_cv_per_second', format: percent, meaning: 'the same of full seconds; always larger' },
];

const kCache: Figure[] = [
  { label: 'hit ratio, client', path: 'measure.hit_ratio_client', format: percent, meaning: 'hits / (hits + misses) of the replies' },
  { label: 'hit ratio, engine', path: 'measure.hit_ratio_engine', format: percent, meaning: 'the same from keyspace_hits and keyspace_misses' },
  { label: 'memory used, max', path: 'measure.memory_used_max_ratio', format: percent, meaning: 'largest used_memory / maxmemory' },
  { label: 'memory used, mean', path: 'measure.memory_used_mean_ratio', format: percent, meaning: 'mean over time of the same' },
  { label: 'headroom', path: 'memory.headroom_ratio', reason: 'headroom_ratio', format: percent, meaning: '1 − the largest memory used; negative beyond the limit' },
  { label: 'maxmemory', path: 'memory.maxmemory_bytes', reason: 'maxmemory_bytes', format: (value) => (value === 0 ? 'unlimited' : bytes(value)), meaning: 'the engine’s limit' },
  { label: 'memory, max', path: 'memory.used_max_bytes', reason: 'memory_used_max_bytes', format: bytes, meaning: 'largest used_memory' },
  { label: 'data, max', path: 'memory.dataset_max_bytes', reason: 'dataset_max_bytes', format: bytes, meaning: 'largest used_memory_dataset' },
  { label: 'RSS, max', path: 'memory.rss_max_bytes', reason: 'rss_max_bytes', format: bytes, meaning: 'largest resident memory of the engine’s process' },
  { label: 'swap, max', path: 'memory.swap_max_bytes', reason: 'swap_max_bytes', format: bytes, meaning: 'largest swapped-out memory of the same' },
  { label: 'fragmentation', path: 'memory.fragmentation_ratio', reason: 'fragmentation_ratio', format: decimal, meaning: 'mem_fragmentation_ratio at the window’s end' },
  { label: 'first eviction', path: 'memory.first_eviction_ns', reason: 'first_eviction', format: (ns) => seconds(ns / 1e9), meaning: 'from the window’s begin to the first sample that shows one' },
  { label: 'evictions', path: 'measure.evictions', format: keysText, meaning: 'growth of evicted_keys' },
  { label: 'expired', path: 'measure.expired', format: keysText, meaning: 'growth of expired_keys' },
  { label: 'peak keys', path: 'memory.peak_keys', reason: 'peak_keys', format: keysText, meaning: 'largest number of keys in all databases' },
  { label: 'bytes per key', path: 'memory.per_key_bytes', reason: 'bytes_per_key', format: exactBytes, meaning: '(used_memory − empty engine) / keys, at the sample with most keys' },
];

const kLoad: Figure[] = [
  { label: 'engine, main thread', path: 'measure.engine_cpu_main_thread_ratio', reason: 'measure.engine_cpu_main_thread', format: percent, meaning: 'CPU seconds / seconds; 100 % is one CPU' },
  { label: 'engine, process', path: 'measure.engine_cpu_process_ratio', reason: 'measure.engine_cpu_process', format: percent, meaning: 'the same of the whole process' },
  { label: 'generator’s machine', path: 'generator.host_cpu_busy_ratio', reason: 'host_cpu_busy_ratio', format: percent, meaning: 'busy / total time of all its CPUs' },
  { label: 'in flight, mean', path: 'measure.in_flight_mean', reason: 'measure.concurrency', format: meanRequests, meaning: 'Little’s law: throughput × mean latency' },
  { label: 'slots', path: 'generator.configured_slots', format: slotsText, meaning: 'workers × connections × pipeline' },
  { label: 'in flight at the end', path: 'generator.in_flight_at_end', reason: 'in_flight_at_end', format: requestsText, meaning: 'requests without a reply when the window closed' },
  { label: 'throughput differs by', path: 'generator.worker_skew_ratio', reason: 'worker_skew_ratio', format: percent, meaning: '(busiest − idlest worker) / mean of the workers' },
];

const kSchedule: Figure[] = [
  { label: 'asked', path: 'schedule.asked_per_s', format: rate, meaning: 'requests due / seconds of the window' },
  { label: 'due', path: 'schedule.due', format: requestsText, meaning: 'had their intended time in the window' },
  { label: 'sent', path: 'schedule.sent', format: requestsText, meaning: 'sent in the window' },
  { label: 'late', path: 'schedule.late', format: requestsText, meaning: 'of those, sent 1 ms or more after their intended time' },
  { label: 'unsent', path: 'schedule.unsent', format: requestsText, meaning: 'given up when the window closed' },
  { label: 'oldest unsent', path: 'schedule.oldest_unsent_ns', format: duration, meaning: 'how long the oldest of them had been due' },
  { label: 'backlog, max', path: 'schedule.backlog_max', format: requestsText, meaning: 'due and not sent at the end of a second, at the most' },
  { label: 'schedule lag, p50', path: 'schedule.lag_p50_ns', format: duration, meaning: 'from intended time to send' },
  { label: 'schedule lag, p99', path: 'schedule.lag_p99_ns', format: duration, meaning: 'the same' },
  { label: 'schedule lag, max', path: 'schedule.lag_max_ns', format: duration, meaning: 'the same' },
];

function at(report: Report, path: string): Maybe {
  let value: unknown = report.summary;
  for (const key of path.split('.')) value = (value as Record<string, unknown>)[key];
  return value as Maybe;
}

function figureRow(report: Report, figure: Figure): Child[] {
  const value = at(report, figure.path);
  const shown = el(
    'span',
    { class: value === null ? 'absent' : 'figure', 'data-path': figure.path, title: `${figure.path}: ${value}` },
    orNotAvailable(value, figure.format),
  );
  const reason = report.summary.not_available[figure.reason ?? figure.path];
  const missing = value === null && reason ? el('em', {}, `; n/a: ${reason}`) : null;
  return [figure.label, shown, el('span', {}, figure.meaning, missing)];
}

function group(report: Report, caption: string, figures: Figure[]): HTMLElement {
  const made = table({
    caption,
    head: ['figure', 'value', 'what it is'],
    rows: figures.map((figure) => figureRow(report, figure)),
  });
  made.classList.add('defined');
  return made;
}

function windowText(summary: WindowSummary): string {
  return `${seconds(summary.window.begin_ns / 1e9)} to ${seconds(summary.window.end_ns / 1e9)}`;
}

/** The same figures of several windows side by side. */
function windows(caption: string, open: boolean, columns: [string, WindowSummary][]): HTMLElement {
  const row = (label: string, read: (summary: WindowSummary) => string) => [
    label,
    ...columns.map(([, summary]) => read(summary)),
  ];
  const latency =
    (of: (summary: WindowSummary) => Latency | undefined, key: 'p50_ns' | 'p99_ns' | 'p999_ns') =>
    (summary: WindowSummary) =>
      orNotAvailable(of(summary)?.[key], duration);
  return table({
    caption,
    head: ['figure', ...columns.map(([name]) => name)],
    rows: [
      row('window', windowText),
      row('throughput', (one) => orNotAvailable(one.throughput_per_s, rate)),
      row(open ? 'response p50' : 'p50', latency(felt, 'p50_ns')),
      row(open ? 'response p99' : 'p99', latency(felt, 'p99_ns')),
      row(open ? 'response p99.9' : 'p99.9', latency(felt, 'p999_ns')),
      ...(open ? [row('service p99', latency(service, 'p99_ns'))] : []),
      row('hit ratio, client', (one) => orNotAvailable(one.hit_ratio_client, percent)),
      row('memory used, max', (one) => orNotAvailable(one.memory_used_max_ratio, percent)),
      row('evictions', (one) => orNotAvailable(one.evictions, keysText)),
      row('engine, main thread', (one) => orNotAvailable(one.engine_cpu_main_thread_ratio, percent)),
    ],
  });
}

function stableText(report: Report): Child {
  const stable = report.summary.stable_segment;
  if (!stable) {
    const why = report.summary.not_available.stable_segment;
    return el('p', { class: 'note' }, `Stable segment: ${kNotAvailable}${why ? `, ${why}` : ''}.`);
  }
  const interval =
    stable.mean_low_per_s === null || stable.mean_high_per_s === null
      ? ''
      : ` Its mean lies within ${rate(stable.mean_low_per_s)} to ${rate(stable.mean_high_per_s)} (${percent(stable.confidence_ratio)})` +
        `${stable.interval_too_narrow ? '; it drifts, so in truth wider' : ''}.`;
  return el(
    'p',
    { class: 'note' },
    `Stable segment: ${rate(stable.mean_per_s)} from ${windowText(stable.summary)}, ` +
      `${stable.segments === 1 ? 'one level over the whole window' : `the longest of ${stable.segments} levels`}.${interval}`,
  );
}

function outcomes(report: Report): HTMLElement {
  const counted = report.summary.measure.outcomes;
  const names = [...new Set(Object.values(counted).flatMap((one) => Object.keys(one)))];
  return table({
    caption: 'Outcomes in requests, over the measure window: every request ends as exactly one',
    head: ['operation', ...names],
    rows: Object.entries(counted).map(([operation, one]) => [
      operation,
      ...names.map((name) => grouped(one[name] ?? 0)),
    ]),
  });
}

function account(report: Report): HTMLElement {
  const { conservation, not_available } = report.summary;
  const engine =
    conservation.engine_agrees === null
      ? `the engine cannot be asked: ${not_available['conservation.engine_agrees'] ?? 'n/a'}`
      : conservation.engine_agrees
        ? 'the engine agrees'
        : 'the engine DISAGREES';
  return el(
    'div',
    {},
    table({
      caption: 'Account in requests, over the whole run',
      head: ['operation', 'sent', 'ended', 'seen by the engine'],
      rows: conservation.operations.map((one) => [
        one.operation,
        grouped(one.sent),
        grouped(one.ended),
        orNotAvailable(one.engine_calls, grouped),
      ]),
    }),
    el(
      'p',
      { class: 'note' },
      `The client’s account ${conservation.client_adds_up ? 'adds up' : 'DOES NOT ADD UP'}` +
        `${conservation.in_flight > 0 ? ` (${grouped(conservation.in_flight)} still under way)` : ''}; ${engine}.`,
    ),
  );
}

function connections(report: Report): HTMLElement | null {
  const { steps, opened, renewed, lost, refused, idle_at_end } = report.summary.connections;
  if (steps.length === 0) return null;
  const counts: [number, string][] = [
    [renewed, 'renewed by plan'],
    [lost, 'lost'],
    [refused, 'failed to open'],
    [idle_at_end ?? 0, 'idle when the window ended'],
  ];
  return el(
    'div',
    {},
    table({
      caption: 'Connections, over the whole run: how long each step of opening one took',
      head: ['step', 'count', 'p50', 'p90', 'p99', 'p99.9', 'max'],
      rows: steps.map((one) => [
        (one.step === 'tls' ? 'TLS handshake' : one.step) + (one.again ? ', again' : ''),
        grouped(one.count),
        ...[one.p50_ns, one.p90_ns, one.p99_ns, one.p999_ns, one.max_ns].map((value) =>
          orNotAvailable(value, duration),
        ),
      ]),
    }),
    el(
      'p',
      { class: 'note' },
      [`${grouped(opened)} opened`]
        .concat(counts.filter(([n]) => n > 0).map(([n, what]) => `${grouped(n)} ${what}`))
        .join(', ') + '.',
    ),
  );
}

export function numbers(report: Report): Child[] {
  const { summary } = report;
  const before = summary.before_first_eviction;
  const after = summary.after_first_eviction;
  const columns: [string, WindowSummary][] = [['measure', summary.measure]];
  if (before) columns.push(['before first eviction', before]);
  if (after) columns.push(['after first eviction', after]);
  if (summary.stable_segment) columns.push(['stable segment', summary.stable_segment.summary]);
  return [
    columns.length > 1 ? windows('Windows side by side', isOpenLoop(report), columns) : null,
    before && after
      ? el('p', { class: 'note' }, 'The seconds in which evictions began are in neither of the two.')
      : null,
    stableText(report),
    group(report, 'Throughput, over the measure window', kThroughput),
    isOpenLoop(report) ? group(report, 'Schedule, over the measure window', kSchedule) : null,
    group(report, 'Cache and memory, over the measure window', kCache),
    group(report, 'CPU and slots, over the measure window', kLoad),
    outcomes(report),
    connections(report),
    account(report),
  ];
}
