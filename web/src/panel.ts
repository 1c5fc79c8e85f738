// What a chart over time shows, and the same in words and as a table.
import type uPlot from 'uplot';
import type { Maybe, Time } from './data';
import { table } from './dom';
import { moment, type Format } from './format';
import type { Level } from './moments';

/** One line of a chart; `key` names it in Time.series. */
export interface Line {
  key: string;
  label: string;
  colour: string;
  dash?: number[];
  width?: number;
  /** Shade between the lowest and the highest second of each column. */
  range?: boolean;
  /** Shade between these two series instead. */
  between?: [low: string, high: string];
}

export interface Panel {
  id: string;
  title: string;
  unit: string;
  format: Format;
  axisFormat?: Format;
  lines: Line[];
  scale?: (plot: uPlot, low: number | null, high: number | null) => [number, number];
  logarithmic?: boolean;
  /** The distances that the labels of the axis may have. */
  steps?: number[];
  /** A level to be seen against, such as a limit. */
  level?: Level;
  height?: number;
  note?: string;
  /** Why nothing is drawn, if nothing is. */
  reason?: string | undefined;
}

/** The text alternative: the range of each line while measuring. */
export function inWords(time: Time, panel: Panel, lines: Line[]): string {
  return lines
    .map(({ key, label }) => {
      const measured = (time.series[key]?.value ?? []).filter(
        (value, i): value is number => value !== null && time.phase[i] === 'measure',
      );
      if (measured.length === 0) return `${label}: nothing while measuring`;
      const low = panel.format(measured.reduce((a, b) => Math.min(a, b)));
      const high = panel.format(measured.reduce((a, b) => Math.max(a, b)));
      const end = panel.format(measured[measured.length - 1]!);
      return `${label}: from ${low} to ${high} while measuring, ${end} at its end`;
    })
    .join('; ');
}

export function dataTable(time: Time, panel: Panel, lines: Line[]): HTMLElement {
  const columns: [name: string, values: Maybe[]][] = [];
  for (const { key, label, between } of lines) {
    const series = time.series[key];
    columns.push([label, series?.value ?? []]);
    const low = between ? time.series[between[0]]?.value : series?.low;
    const high = between ? time.series[between[1]]?.value : series?.high;
    const whose = between ? 'worker' : 'second';
    if (low) columns.push([`lowest ${whose}`, low]);
    if (high) columns.push([`highest ${whose}`, high]);
  }
  return table({
    caption: `${panel.title} ${panel.unit}, from the begin of measuring`,
    head: ['from', 'to', 'phase', ...columns.map(([name]) => name)],
    rows: time.end_s.map((end, i) => [
      moment(time.begin_s[i]!),
      moment(end),
      time.phase[i]!,
      ...columns.map(([, values]) => {
        const value = values[i];
        return value === null || value === undefined ? 'n/a' : panel.format(value);
      }),
    ]),
  });
}
