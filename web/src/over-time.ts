// The charts over time: the cliff picture, then the engine and the generator below it.
import { el, table } from './dom';
import { isOpenLoop, type Report } from './data';
import { bytes, bytesRate, decimal, duration, keysText, orNotAvailable, percent, rate, requestsText, shortCount } from './format';
import { logarithmic } from './plot';
import type { Panel } from './panel';

const ratio = (_plot: unknown, _low: number | null, high: number | null): [number, number] => [
  0,
  Math.max(1, high ?? 0) * 1.06,
];
const kWhole = [1, 2, 5].flatMap((step) => Array.from({ length: 12 }, (_, power) => step * 10 ** power)).sort((a, b) => a - b);
const kBinary = Array.from({ length: 44 }, (_, power) => 2 ** power);
const shortRate = (value: number) => (value === 0 ? '0' : `${shortCount(value)}/s`);

export function cliffPanels(report: Report): Panel[] {
  const why = report.summary.not_available;
  const open = isOpenLoop(report);
  const of = open ? 'response_' : '';
  const panels: Panel[] = [
    {
      id: 'throughput',
      title: 'Throughput',
      unit: 'completed requests per second',
      format: rate,
      axisFormat: shortRate,
      height: 140,
      lines: open
        ? [
            { key: 'asked_per_s', label: 'asked', colour: '--muted', dash: [6, 3] },
            { key: 'throughput_per_s', label: 'completed', colour: '--s1', range: true },
          ]
        : [{ key: 'throughput_per_s', label: 'Throughput', colour: '--s1', range: true }],
      reason: why['measure.throughput_per_s'] ?? why.measure,
    },
    {
      id: 'latency-over-time',
      title: open ? 'Response latency' : 'Latency',
      unit: `of completed requests, from their ${open ? 'intended time' : 'send'}; logarithmic`,
      format: duration,
      height: 180,
      scale: logarithmic,
      logarithmic: true,
      lines: [
        { key: `${of}max_ns`, label: 'max', colour: '--l4', width: 1 },
        { key: `${of}p999_ns`, label: 'p99.9', colour: '--l3' },
        { key: `${of}p99_ns`, label: 'p99', colour: '--l2' },
        { key: `${of}p50_ns`, label: 'p50', colour: '--l1' },
        ...(open ? [{ key: 'p99_ns', label: 'service p99', colour: '--s3', dash: [6, 3] }] : []),
      ],
      reason: 'no request has a latency',
    },
    {
      id: 'memory-used',
      title: 'Memory used',
      unit: 'share of maxmemory',
      format: percent,
      scale: ratio,
      level: { value: 1, label: 'maxmemory, 100 %' },
      lines: [{ key: 'memory_used_ratio', label: 'Memory used', colour: '--s4', range: true }],
      reason: why['measure.memory_used_max_ratio'],
    },
    {
      id: 'keys',
      title: 'Keys',
      unit: 'in all databases',
      format: keysText,
      axisFormat: shortCount,
      steps: kWhole,
      lines: [{ key: 'keys', label: 'Keys', colour: '--s3', range: true }],
      reason: why.peak_keys,
    },
    {
      id: 'evictions',
      title: 'Evictions',
      unit: 'keys per second',
      format: rate,
      axisFormat: shortRate,
      lines: [{ key: 'evictions_per_s', label: 'Evictions', colour: '--s2', range: true }],
      reason: why['measure.evictions'],
    },
    {
      id: 'hit-ratio',
      title: 'Hit ratio',
      unit: 'of the replies to reads',
      format: percent,
      scale: ratio,
      lines: [{ key: 'hit_ratio', label: 'Hit ratio', colour: '--s1', range: true }],
      reason: why['measure.hit_ratio_client'],
    },
  ];
  const failures: Panel = {
    id: 'failures',
    title: 'Failures',
    unit: 'requests per second that did not complete',
    format: rate,
    axisFormat: shortRate,
    lines: [
      { key: 'rejected_per_s', label: 'rejected (OOM)', colour: '--s2' },
      { key: 'error_per_s', label: 'error', colour: '--s4' },
      { key: 'timeout_per_s', label: 'timeout', colour: '--s3', dash: [6, 3] },
      { key: 'lost_per_s', label: 'lost', colour: '--s1', dash: [2, 3] },
      { key: 'unsent_per_s', label: 'unsent', colour: '--muted', dash: [8, 4] },
    ],
  };
  // A run in which nothing failed says so in the numbers; an empty chart would only take room.
  if (failures.lines.some((one) => one.key in report.time.series)) panels.push(failures);
  return panels;
}

export function enginePanels(report: Report): Panel[] {
  const why = report.summary.not_available;
  return [
    {
      id: 'cpu',
      title: 'CPU',
      unit: 'engine: 100 % is one CPU; machine: of all its CPUs',
      format: percent,
      scale: ratio,
      height: 140,
      lines: [
        { key: 'engine_cpu_process_ratio', label: 'engine, whole process', colour: '--s2', dash: [6, 3] },
        { key: 'engine_cpu_main_thread_ratio', label: 'engine, main thread', colour: '--s1' },
        { key: 'host_cpu_busy_ratio', label: 'generator’s machine', colour: '--s4', dash: [2, 3] },
      ],
      reason: why['measure.engine_cpu_process'],
    },
    {
      id: 'memory-parts',
      title: 'Memory',
      unit: 'of the engine',
      format: bytes,
      steps: kBinary,
      height: 140,
      lines: [
        { key: 'maxmemory_bytes', label: 'maxmemory', colour: '--bad', dash: [6, 4] },
        { key: 'rss_bytes', label: 'RSS', colour: '--s2' },
        { key: 'used_bytes', label: 'used', colour: '--s1' },
        { key: 'dataset_bytes', label: 'data', colour: '--s3', dash: [6, 3] },
        { key: 'swap_bytes', label: 'swap', colour: '--s4', dash: [2, 3] },
      ],
      reason: why.memory_used_max_bytes,
    },
    {
      id: 'fragmentation',
      title: 'Fragmentation',
      unit: 'RSS / used memory',
      format: decimal,
      lines: [{ key: 'fragmentation_ratio', label: 'Fragmentation', colour: '--s1', range: true }],
      reason: why.fragmentation_ratio,
    },
    {
      id: 'server-time',
      title: 'Mean time of a request',
      unit: 'in the engine, and as the client sees it; logarithmic',
      format: duration,
      scale: logarithmic,
      logarithmic: true,
      lines: [
        { key: 'client_mean_ns', label: 'client', colour: '--s1' },
        { key: 'engine_mean_ns', label: 'engine', colour: '--s2', dash: [6, 3] },
      ],
      reason: 'commandstats was not sampled',
    },
    {
      id: 'network',
      title: 'Network',
      unit: 'bytes per second at the engine',
      format: bytesRate,
      steps: kBinary,
      lines: [
        { key: 'net_output_bytes_per_s', label: 'out', colour: '--s1' },
        { key: 'net_input_bytes_per_s', label: 'in', colour: '--s2', dash: [6, 3] },
      ],
      reason: 'total_net_input_bytes and total_net_output_bytes were not sampled',
    },
  ];
}

export function generatorPanels(report: Report): Panel[] {
  const several = report.summary.generator.workers.length > 1;
  const schedule: Panel[] = [
    {
      id: 'schedule-lag',
      title: 'Schedule lag, max',
      unit: 'from intended time to send; logarithmic',
      format: duration,
      scale: logarithmic,
      logarithmic: true,
      lines: [{ key: 'schedule_lag_max_ns', label: 'Schedule lag, max', colour: '--s2' }],
      reason: 'no worker recorded anything',
    },
    {
      id: 'backlog',
      title: 'Backlog',
      unit: 'requests due and not sent at the second’s end',
      format: requestsText,
      axisFormat: shortCount,
      steps: kWhole,
      lines: [{ key: 'backlog', label: 'Backlog', colour: '--s4', range: true }],
      reason: 'no worker recorded anything',
    },
  ];
  const spread = several ? 'mean of the workers, shaded from the lowest to the highest' : '';
  return [
    ...(isOpenLoop(report) ? schedule : []),
    {
      id: 'worker-throughput',
      title: 'Throughput of a worker',
      unit: spread,
      format: rate,
      axisFormat: shortRate,
      lines: [
        {
          key: 'worker_throughput_per_s_mean',
          label: 'Throughput of a worker',
          colour: '--s1',
          between: ['worker_throughput_per_s_lowest', 'worker_throughput_per_s_highest'],
        },
      ],
      reason: 'no worker recorded anything',
    },
    {
      id: 'worker-cpu',
      title: 'CPU of a worker',
      unit: spread === '' ? 'of one CPU' : `of one CPU; ${spread}`,
      format: percent,
      scale: ratio,
      level: { value: 0.85, label: '85 %: the generator is the limit' },
      lines: [
        {
          key: 'worker_cpu_ratio_mean',
          label: 'CPU of a worker',
          colour: '--s3',
          between: ['worker_cpu_ratio_lowest', 'worker_cpu_ratio_highest'],
        },
      ],
      reason: 'no worker recorded anything',
    },
    {
      id: 'loop-lag',
      title: 'Loop lag, max',
      unit: 'how late a worker may have looked at its sockets; logarithmic',
      format: duration,
      scale: logarithmic,
      logarithmic: true,
      lines: [{ key: 'loop_lag_max_ns', label: 'Loop lag, max', colour: '--s2' }],
      reason: 'no worker recorded anything',
    },
    {
      id: 'in-flight',
      title: 'In flight',
      unit: 'requests without a reply at the second’s end',
      format: requestsText,
      axisFormat: shortCount,
      steps: kWhole,
      lines: [{ key: 'in_flight', label: 'In flight', colour: '--s4', range: true }],
      reason: 'no worker recorded anything',
    },
  ];
}

/** How unequal the workers were, in a sentence. */
export function skew(report: Report): HTMLElement | null {
  const { worker_skew_ratio, workers } = report.summary.generator;
  if (workers.length < 2) return null;
  return el(
    'p',
    { class: 'note' },
    `Between the busiest and the idlest of ${workers.length} workers throughput differs by ${orNotAvailable(worker_skew_ratio, percent)} of their mean.`,
  );
}

export function workerTable(report: Report): HTMLElement {
  return table({
    caption: 'Workers, over the measure window',
    head: ['worker', 'throughput', 'CPU of its thread', 'away from its sockets', 'loop lag p99', 'loop lag max'],
    rows: report.summary.generator.workers.map((worker) => [
      `worker ${worker.worker}`,
      orNotAvailable(worker.throughput_per_s, rate),
      orNotAvailable(worker.cpu_ratio, percent),
      orNotAvailable(worker.away_ratio, percent),
      orNotAvailable(worker.loop_lag_p99_ns, duration),
      orNotAvailable(worker.loop_lag_max_ns, duration),
    ]),
  });
}
