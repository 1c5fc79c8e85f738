// What every chart has in common: colours from the style sheet, axes, and a size that follows the
// page.
import uPlot from 'uplot';
import type { Format } from './format';

/** The value of a custom property of the style sheet, which differs between light and dark. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export const kFont = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** Room for the labels at the left, the same in all charts so that their times stand in line. */
export function axisWidth(): number {
  return window.innerWidth < 600 ? 56 : 72;
}
export const kRightPadding = 20;

export function axis(more: uPlot.Axis): uPlot.Axis {
  return {
    font: kFont,
    stroke: () => colour('--muted'),
    grid: { stroke: () => colour('--grid'), width: 1 },
    ticks: { show: false },
    gap: 6,
    ...more,
  };
}

/** From zero to a little above the largest. */
export function fromZero(_plot: uPlot, _low: number | null, high: number | null): [number, number] {
  return [0, high !== null && high > 0 ? high * 1.08 : 1];
}

export function logarithmic(
  _plot: uPlot,
  low: number | null,
  high: number | null,
): [number, number] {
  if (low === null || high === null || low <= 0) return [1e3, 1e6];
  return [low / 1.25, high * 1.25];
}

/** 1, 2 and 5 times the powers of ten in a range; of a wide one only the powers. */
export function logarithmicSplits(low: number, high: number): number[] {
  const steps = high / low > 1e3 ? [1] : high / low > 50 ? [1, 3] : [1, 2, 5];
  const splits: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    for (const step of steps) {
      if (step * power >= low && step * power <= high) splits.push(step * power);
    }
  }
  return splits;
}

/** A vertical axis; `label` gives the unit, and what says nothing (".00") is left off. */
export function valueAxis(label: Format, scale: 'linear' | 'logarithmic', more: uPlot.Axis): uPlot.Axis {
  return axis({
    size: axisWidth(),
    space: 28,
    values: (_plot, splits) =>
      splits.map((at) => (at === null ? '' : label(at).replace(/\.0+(?!\d)/, ''))),
    ...(scale === 'logarithmic'
      ? {
          splits: (_plot: uPlot, _index: number, low: number, high: number) =>
            logarithmicSplits(low, high),
          filter: (_plot: uPlot, splits: number[]) => splits,
        }
      : {}),
    ...more,
  });
}

/** A point without neighbours makes no line: it is drawn as a dot. */
export function lonePoints(plot: uPlot, index: number): number[] {
  const values = plot.data[index]!;
  const lone: number[] = [];
  for (let i = 0; i < values.length; ++i) {
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) lone.push(i);
  }
  return lone;
}

export function line(colourName: string, dash: number[] | undefined, width = 1.75): uPlot.Series {
  return {
    stroke: () => colour(colourName),
    width,
    ...(dash ? { dash } : {}),
    points: {
      show: true,
      size: 5,
      fill: () => colour(colourName),
      filter: (plot, index) => lonePoints(plot, index),
    },
  };
}

const kRedrawn = new Set<() => void>();

/** Calls `redraw` when the page changes between light and dark, or goes to the printer. */
export function onThemeChange(redraw: () => void): void {
  if (kRedrawn.size === 0) {
    const all = () => kRedrawn.forEach((one) => one());
    for (const query of ['(prefers-color-scheme: dark)', 'print'])
      window.matchMedia(query).addEventListener('change', all);
    window.addEventListener('beforeprint', all);
    window.addEventListener('afterprint', all);
  }
  kRedrawn.add(redraw);
}

/** Draws into `place`, as wide as it is, now and after every change of its width. */
export function fitted(
  place: HTMLElement,
  height: number,
  options: Omit<uPlot.Options, 'width' | 'height'>,
  data: uPlot.AlignedData,
): uPlot {
  const width = () => Math.max(place.clientWidth, 200);
  const plot = new uPlot({ ...options, width: width(), height }, data, place);
  new ResizeObserver(() => {
    if (width() !== plot.width) plot.setSize({ width: width(), height });
  }).observe(place);
  onThemeChange(() => plot.redraw(false));
  return plot;
}
