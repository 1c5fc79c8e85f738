// What the page is made from: the block of JSON that src/report/html.cc writes into it. The summary
// is that of `headroom report --json` (docs/SUMMARY_JSON.md).

import type { ComparedReport, Expectation } from './compare-data';

/** A number that is not known is null; Summary.not_available has the reason. */
export type Maybe = number | null;

export interface Latency {
  operation: string;
  outcome: string;
  from: 'send' | 'intended';
  count: number;
  out_of_range: number;
  mean_ns: Maybe;
  min_ns: Maybe;
  p50_ns: Maybe;
  p90_ns: Maybe;
  p99_ns: Maybe;
  p999_ns: Maybe;
  p9999_ns: Maybe;
  max_ns: Maybe;
}

export interface WindowSummary {
  window: { name: string; begin_ns: number; end_ns: number; length_s: number };
  completed: number;
  throughput_per_s: Maybe;
  throughput_cv_per_minute_ratio: Maybe;
  throughput_cv_per_second_ratio: Maybe;
  peak_minute_throughput_per_s: Maybe;
  peak_second_throughput_per_s: Maybe;
  outcomes: Record<string, Record<string, number>>;
  latencies: Latency[];
  hit_ratio_client: Maybe;
  hit_ratio_engine: Maybe;
  memory_used_max_ratio: Maybe;
  memory_used_mean_ratio: Maybe;
  evictions: Maybe;
  expired: Maybe;
  engine_cpu_main_thread_ratio: Maybe;
  engine_cpu_process_ratio: Maybe;
  in_flight_mean: Maybe;
}

export interface Worker {
  worker: number;
  throughput_per_s: Maybe;
  cpu_ratio: Maybe;
  away_ratio: Maybe;
  loop_lag_p99_ns: Maybe;
  loop_lag_max_ns: Maybe;
}

/** A part of measure: a stage, or what lies before, between and behind stages. */
export interface Stage {
  is_stage: boolean;
  summary: WindowSummary;
}

/** One of several loads by itself, over measure. */
export interface Load {
  load: string;
  fills: boolean;
  slots_used_ratio: Maybe;
  worker_cpu_max_ratio: Maybe;
  throughput_per_s: Maybe;
  outcomes: Record<string, Record<string, number>>;
  latencies: Latency[];
  hit_ratio_client: Maybe;
  schedule: { asked_per_s: number } | null;
  sent: number;
  ended: number;
  adds_up: boolean;
}

export interface Summary {
  run: {
    run_id: string;
    scenario: string;
    started_utc: string;
    command_line: string;
    tool_version: string;
    file: string | null;
    complete: boolean;
    end: string;
    end_reason: string | null;
    seal: string;
    digest_sha256: string | null;
    scenario_toml: string;
    facts: Record<string, string>;
  };
  regime: { name: string | null; evidence: string };
  limiter: { name: string; evidence: string };
  warnings: { kind: string; seen: string; next_step: string }[];
  expectations: Expectation[];
  measure: WindowSummary;
  before_first_eviction: WindowSummary | null;
  after_first_eviction: WindowSummary | null;
  stages: Stage[];
  loads: Load[];
  stable_segment: {
    mean_per_s: number;
    mean_low_per_s: Maybe;
    mean_high_per_s: Maybe;
    confidence_ratio: number;
    interval_too_narrow: boolean;
    segments: number;
    summary: WindowSummary;
  } | null;
  memory: {
    headroom_ratio: Maybe;
    first_eviction_ns: Maybe;
    peak_keys: Maybe;
    per_key_bytes: Maybe;
    maxmemory_bytes: Maybe;
    used_max_bytes: Maybe;
    dataset_max_bytes: Maybe;
    rss_max_bytes: Maybe;
    swap_max_bytes: Maybe;
    fragmentation_ratio: Maybe;
  };
  generator: {
    configured_slots: number;
    in_flight_at_end: Maybe;
    worker_skew_ratio: Maybe;
    host_cpu_busy_ratio: Maybe;
    workers: Worker[];
  };
  connections: {
    opened: number;
    renewed: number;
    lost: number;
    refused: number;
    idle_at_end: Maybe;
    steps: {
      step: string;
      again: boolean;
      count: number;
      p50_ns: Maybe;
      p90_ns: Maybe;
      p99_ns: Maybe;
      p999_ns: Maybe;
      max_ns: Maybe;
    }[];
  };
  splits: { split: string; part: string; most_bytes: Maybe; latencies: Latency[] }[];
  slowest: {
    sent_ns: number;
    operation: string;
    outcome: string;
    key: string;
    value_bytes: Maybe;
    worker: number;
    connection: number;
    service_ns: Maybe;
    response_ns: Maybe;
  }[];
  cache_aside: {
    begun: number;
    filled: number;
    failed: number;
    abandoned: number;
    waiting_at_end: number;
  } | null;
  schedule: {
    asked_per_s: number;
    due: number;
    sent: number;
    late: number;
    unsent: number;
    backlog_max: number;
    lag_p50_ns: Maybe;
    lag_p99_ns: Maybe;
    lag_max_ns: number;
    oldest_unsent_ns: Maybe;
  } | null;
  conservation: {
    client_adds_up: boolean;
    engine_agrees: boolean | null;
    in_flight: number;
    operations: {
      operation: string;
      sent: number;
      ended: number;
      unanswered: number;
      engine_calls: Maybe;
    }[];
  };
  lifecycle: {
    phases: { phase: string; begin_ns: number; end_ns: Maybe }[];
    receipts: { time_ns: number; what: string; proved: boolean; evidence: string }[];
  };
  not_available: Record<string, string>;
}

/** One quantity over the columns; low and high are the extremes of a column's seconds. */
export interface Series {
  value: Maybe[];
  low?: Maybe[];
  high?: Maybe[];
}

/** Columns of time, in seconds from the begin of `measure`. */
export interface Time {
  step_s: number;
  begin_s: number[];
  end_s: number[];
  phase: string[];
  series: Record<string, Series>;
}

export interface HeatMap {
  row_ns: number[];
  columns: { begin_s: number; end_s: number; first: number; counts: number[] }[];
}

/** One request in `beyond` took longer than `ns`. */
export interface Curve {
  label: string;
  from: 'send' | 'intended';
  beyond: number[];
  ns: number[];
}

export interface Mark {
  time_s: number;
  kind: string;
  count: number;
  text: string;
}

/** The slowest request of its second, operation and outcome. */
export interface Slow {
  begin_s: number;
  end_s: number;
  operation: string;
  outcome: string;
  from: 'send' | 'intended';
  ns: number;
}

export type Tone = 'good' | 'caution' | 'bad' | 'plain';

export interface Report {
  words: {
    headline: string;
    headline_tone: Tone;
    target: string;
    load: string;
    measured: string;
    state: string;
    state_tone: Tone;
    left_behind: string | null;
  };
  summary: Summary;
  origin_ns: number;
  time: Time;
  heat_map: HeatMap;
  curves: Curve[];
  slowest: Slow[];
  /** Where a page that a server shows leads to; nowhere from a file. */
  served: {
    list: string | null;
    /** The stream of a run that still goes. */
    events: string | null;
    phase: string | null;
    /** Until the phase's end. */
    left_s: Maybe;
  };
  marks: { list: Mark[]; left_out: number };
}

/** Of a run, or of a comparison (compare-data.ts). */
export function readReport(): Report | ComparedReport {
  const block = document.getElementById('headroom-data');
  return JSON.parse(block?.textContent ?? '') as Report | ComparedReport;
}

export function measuredAnything(report: Report): boolean {
  return report.summary.measure.throughput_per_s !== null;
}

export function isOpenLoop(report: Report): boolean {
  return report.summary.schedule !== null;
}

function rowOfAll(window: WindowSummary | null, from: Latency['from']): Latency | undefined {
  return window?.latencies.find((row) => row.operation === 'all' && row.from === from);
}

/** Of all operations together what a user waits: response where there is a schedule, else service. */
export function felt(window: WindowSummary | null): Latency | undefined {
  return rowOfAll(window, 'intended') ?? rowOfAll(window, 'send');
}

/** Of all operations together, from the requests' own send. */
export function service(window: WindowSummary | null): Latency | undefined {
  return rowOfAll(window, 'send');
}

/** How a row of the latency table is called; the same words as in the terminal. */
export function latencyLabel(row: Latency): string {
  const outcome = row.outcome === 'completed' ? '' : ` ${row.outcome}`;
  return row.operation + outcome + (row.from === 'intended' ? ' (response)' : '');
}
