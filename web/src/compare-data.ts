// What the page of a comparison is made from: the block of JSON that src/report/compare_html.cc writes
// into it. `comparison` is that of `headroom compare --json`.
import type { Curve, Maybe } from './data';

export interface Expectation {
  condition: string;
  met: boolean;
  sentence: string;
}

export interface ComparedRun {
  name: string;
  imported: boolean;
  started_utc: string | null;
  regime: string | null;
  limiter: string | null;
  faults: { kind: string; seen: string }[];
  figures: Record<string, Maybe>;
  expectations: Expectation[];
}

export interface Spread {
  runs: number;
  values: Maybe[];
  min: Maybe;
  median: Maybe;
  max: Maybe;
  mean: Maybe;
  cv_ratio: Maybe;
}

export interface Arm {
  name: string;
  runs: ComparedRun[];
  figures: Record<string, Spread>;
}

export interface Difference {
  key: string;
  factor: string;
  values: (string | null)[];
}

export type VerdictWord = 'supported' | 'not supported' | 'cannot tell';

export interface Claim {
  claim: string;
  statement: string;
  verdict: VerdictWord;
  evidence: string[];
  guards: { guard: string; limit: string }[];
  settle: string | null;
}

export interface Comparison {
  contract: {
    standing: 'comparable' | 'conditional' | 'invalid';
    reasons: { name: string; standing: string; seen: string; settle: string }[];
    factors: Difference[];
    controls: Difference[];
  };
  baseline: {
    margin_ratio: number;
    regressed: boolean;
    figures: { figure: string; primary: boolean; verdict: string; change_ratio: Maybe; sentence: string }[];
  } | null;
  arms: Arm[];
  claims: Claim[];
  stops: string[];
}

export interface Figure {
  key: string;
  label: string;
  unit: 'per_s' | 'ratio' | 'ns' | 's' | 'count' | 'bytes';
  better: 'higher' | 'lower' | 'neither';
  meaning: string;
  contrasts: { first: number; second: number; sentence: string }[];
}

/** The course of a run over measure, in points of `step_s` seconds. */
export interface Course {
  step_s: number;
  first_eviction_s: Maybe;
  throughput_per_s: Maybe[];
  p99_ns: Maybe[];
  memory_ratio: Maybe[];
}

export interface ComparedReport {
  title: string;
  comparison: Comparison;
  figures: Figure[];
  curves: Curve[];
  courses: (Course | null)[][];
  questions: Record<string, string>;
}

export function isComparison(data: object): data is ComparedReport {
  return 'comparison' in data;
}

export function plural(count: number, noun: string): string {
  return `${count}\u00a0${noun}${count === 1 ? '' : 's'}`;
}

/** The colour of an arm, by its place; the same in every chart. */
export const kArmColours = ['--s1', '--s2', '--s3', '--s4', '--s5', '--ink'];
export function armColour(index: number): string {
  return kArmColours[index % kArmColours.length]!;
}
