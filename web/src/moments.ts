// What happened at a moment: in words, and as lines and shades behind the charts.
import uPlot from 'uplot';
import type { Mark, Stage } from './data';
import { colour } from './plot';

export interface PhaseSpan {
  phase: string;
  begin: number;
  end: number;
}

export interface Level {
  value: number;
  label: string;
}

const kMarkWords: Record<string, string> = {
  'first-eviction': 'first eviction',
  'first-refusal': 'first write refused (OOM)',
  'connection-lost': 'connection lost',
  reconnected: 'reconnected',
  'engine-silent': 'engine silent',
  'engine-answers': 'engine answers again',
  'engine-gone': 'engine gone',
  interrupted: 'interrupted',
  snapshot: 'snapshot begins',
  'aof-rewrite': 'append-only file rewritten',
};

export function markText(mark: Mark): string {
  const word = kMarkWords[mark.kind] ?? mark.kind;
  return mark.count > 1 ? `${word}, ${mark.count} times` : word;
}

/** What changes how everything after it is read. */
export function isGrave(mark: Mark): boolean {
  return mark.kind.startsWith('first-') || mark.kind === 'engine-gone';
}

/** Labels for times: seconds for short spans, minutes and hours for long ones. */
export function timeLabel(at: number, step: number): string {
  if (step >= 3600) return `${Number((at / 3600).toFixed(2))} h`;
  if (step >= 60) return `${Number((at / 60).toFixed(2))} min`;
  if (Math.abs(at) < 120) return `${Number(at.toFixed(2))} s`;
  const whole = Math.round(Math.abs(at));
  return `${at < 0 ? '−' : ''}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}

export const kTimeSteps = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
];

/** Shades what was not measured. */
export function shadePhases(plot: uPlot, phases: PhaseSpan[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour('--shade');
  for (const { phase, begin, end } of phases) {
    if (phase === 'measure') continue;
    const left = Math.max(plot.valToPos(begin, 'x', true), bbox.left);
    const right = Math.min(plot.valToPos(end, 'x', true), bbox.left + bbox.width);
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

/** Shades stages of measure, each under its name. */
export function shadeStages(plot: uPlot, stages: Stage[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  for (const { is_stage, summary } of stages) {
    if (!is_stage) continue;
    const { name, begin_ns, end_ns } = summary.window;
    const left = Math.max(plot.valToPos(begin_ns / 1e9, 'x', true), bbox.left);
    const right = Math.min(plot.valToPos(end_ns / 1e9, 'x', true), bbox.left + bbox.width);
    if (right <= left) continue;
    ctx.fillStyle = colour('--stage');
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.fillStyle = colour('--muted');
    const margin = 4 * uPlot.pxRatio;
    if (ctx.measureText(name).width + 2 * margin < right - left)
      ctx.fillText(name, left + margin, bbox.top + margin);
  }
  ctx.restore();
}

export function drawMarks(plot: uPlot, marks: Mark[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = uPlot.pxRatio;
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.time_s, 'x', true)) + 0.5;
    if (x < bbox.left || x > bbox.left + bbox.width + 1) continue;
    ctx.strokeStyle = colour(isGrave(mark) ? '--accent' : '--muted');
    ctx.setLineDash(isGrave(mark) ? [] : [2 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

export function drawLevel(plot: uPlot, level: Level): void {
  const { ctx, bbox } = plot;
  const y = Math.round(plot.valToPos(level.value, 'y', true)) + 0.5;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour('--bad');
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.fillText(level.label, bbox.left + 6 * uPlot.pxRatio, y + 4 * uPlot.pxRatio);
  ctx.restore();
}
