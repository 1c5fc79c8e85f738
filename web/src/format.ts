// Numbers for people, always with their unit; the same words as in the terminal (base/units.h,
// analysis/prose.h).
import type { Maybe } from './data';

export const kNotAvailable = 'n/a';

export type Format = (value: number) => string;

function threeDigits(value: number): string {
  if (value < 9.995) return value.toFixed(2);
  if (value < 99.95) return value.toFixed(1);
  return value.toFixed(0);
}

type Unit = readonly [name: string, factor: number];

function readable(value: number, units: readonly Unit[]): string {
  const size = Math.abs(value);
  let chosen = 0;
  while (chosen + 1 < units.length) {
    const factor = units[chosen]![1];
    const shown = size / factor;
    const step = shown < 9.995 ? 0.01 : shown < 99.95 ? 0.1 : 1;
    if (Math.round(shown / step) * step * factor < units[chosen + 1]![1]) break;
    ++chosen;
  }
  const [name, factor] = units[chosen]!;
  const scaled = chosen > 0 ? Math.max(size / factor, 1) : size / factor;
  const whole = chosen === 0 && scaled === Math.floor(scaled);
  const digits = whole ? scaled.toFixed(0) : threeDigits(scaled);
  return `${value < 0 ? '-' : ''}${digits}${name === '' ? '' : `\u00a0${name}`}`;
}

const kDurations: readonly Unit[] = [
  ['ns', 1],
  ['us', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['min', 60e9],
  ['h', 3600e9],
];
const kBytes: readonly Unit[] = [
  ['B', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
  ['TiB', 1024 ** 4],
];
const kCounts: readonly Unit[] = [
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
];

export function grouped(value: number): string {
  const digits = Math.abs(Math.round(value)).toFixed(0);
  return (value < 0 ? '-' : '') + digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1.23 ms" */
export const duration: Format = (ns) => readable(Math.round(ns), kDurations);
/** "18.5 MiB" */
export const bytes: Format = (value) => readable(value, kBytes);
/** "1,371.5 B" */
export const exactBytes: Format = (value) =>
  `${grouped(Math.floor(Math.round(value * 10) / 10))}.${Math.round(value * 10) % 10}\u00a0B`;
/** "48,912 keys" */
function countOf(one: string): Format {
  return (value) => `${grouped(value)}\u00a0${one}${Math.round(value) === 1 ? '' : 's'}`;
}
export const keysText = countOf('key');
export const requestsText = countOf('request');
export const slotsText = countOf('slot');
/** "6.04 requests" */
export const meanRequests: Format = (value) => `${value.toFixed(2)}\u00a0requests`;
/** "48.9 k": for axes, where space is short. */
export const shortCount: Format = (value) => readable(value, kCounts);
/** "48,912 /s" */
export const rate: Format = (value) =>
  value !== 0 && Math.abs(value) < 100 ? `${value.toFixed(1)}\u00a0/s` : `${grouped(value)}\u00a0/s`;
export const bytesRate: Format = (value) => `${bytes(value)}/s`;
/** "20.3 s" */
export const seconds: Format = (value) => `${value.toFixed(1)}\u00a0s`;
export const decimal: Format = (value) => value.toFixed(2);

/** "97.3 %", "0.02 %"; never rounds what is below 100 % up to it. */
export const percent: Format = (ratio) => {
  const value = ratio * 100;
  let text = value.toFixed(Math.abs(value) < 1 ? 2 : 1);
  if (value < 100 && text === '100.0') text = '99.9';
  text = text.replace(/\.0$/, '');
  if (text === '0.00' || text === '-0.00') text = value > 0 ? '<0.01' : '0';
  return `${text}\u00a0%`;
};

export function orNotAvailable(value: Maybe | undefined, format: Format): string {
  return value === null || value === undefined ? kNotAvailable : format(value);
}

/** A sentence whose numbers keep their units on the same line. */
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=[%/]|[a-zA-Z]{1,3}\b)/g, '$1\u00a0');
}

/** A moment, from the begin of measuring: "20.5 s", "12 min 30 s", "1 h 5 min". */
export function moment(offset: number): string {
  const size = Math.abs(offset);
  const sign = offset < 0 ? '−' : '';
  if (size < 120) return `${sign}${Number(size.toFixed(1))}\u00a0s`;
  const whole = Math.round(size);
  const parts: [number, string][] = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ];
  return sign + parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}\u00a0${unit}`).join(' ');
}

/** "p50", "p99", "p99.9" for one request in `beyond`. */
export function quantileName(beyond: number): string {
  const digits = Math.min(9, Math.max(1, Math.ceil(Math.log10(beyond) - 1e-9)));
  return `p${Number((100 * (1 - 1 / beyond)).toFixed(digits))}`;
}
