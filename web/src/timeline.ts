// Charts over time that belong together: one axis, one cursor, one zoom for all of them.
import uPlot from 'uplot';
import type { Mark, Maybe, Report, Series } from './data';
import { chartTable, el } from './dom';
import { moment } from './format';
import {
  drawLevel,
  drawMarks,
  isGrave,
  kTimeSteps,
  markText,
  shadePhases,
  shadeStages,
  timeLabel,
  type PhaseSpan,
} from './moments';
import { dataTable, inWords, type Line, type Panel } from './panel';
import { axis, axisWidth, colour, fitted, fromZero, kRightPadding, line, valueAxis } from './plot';

interface Shown {
  plot: uPlot;
  /** What it draws of a report that has grown; absent: it is made anew with its figure. */
  data?: () => uPlot.AlignedData;
  showValues: (index: number | null) => void;
  describeAt: (index: number) => string;
}

export class Timeline {
  first = 0;
  last = 1;
  private low = 0;
  private high = 1;
  private index: number | null = null;
  private phases: PhaseSpan[] = [];
  private shown: Shown[] = [];
  private readonly bars: (() => void)[] = [];
  /** Texts of figures that say what is drawn. */
  private readonly words: (() => void)[] = [];

  constructor(public report: Report) {
    this.measureTime();
    this.low = this.first;
    this.high = this.last;
  }

  private measureTime(): void {
    const { begin_s, end_s, phase } = this.report.time;
    this.first = begin_s[0] ?? 0;
    this.last = end_s[end_s.length - 1] ?? 1;
    this.phases = [];
    phase.forEach((name, i) => {
      const previous = this.phases[this.phases.length - 1];
      if (previous?.phase === name) previous.end = end_s[i]!;
      else this.phases.push({ phase: name, begin: begin_s[i]!, end: end_s[i]! });
    });
  }

  /** Draws more of the same run; who looks at a part of it goes on doing so. */
  grow(report: Report): void {
    const whole = !this.zoomed;
    const columns = this.report.time.step_s;
    this.report = report;
    this.measureTime();
    if (whole) [this.low, this.high] = [this.first, this.last];
    // A column of another length is another moment.
    if (columns !== report.time.step_s) this.index = null;
    const gone = this.shown.filter((one) => !one.plot.root.isConnected);
    gone.forEach((one) => one.plot.destroy());
    this.shown = this.shown.filter((one) => !gone.includes(one));
    for (const { plot, data } of this.shown) {
      if (!data) continue;
      plot.setData(data(), false);
      plot.setScale('x', { min: this.low, max: this.high });
    }
    this.words.forEach((update) => update());
    this.setIndex(this.index);
  }

  private get marks(): Mark[] {
    return this.report.marks.list;
  }

  get columns(): number {
    return this.report.time.end_s.length;
  }

  has(key: string): boolean {
    return key in this.report.time.series;
  }

  series(key: string): Series {
    return this.report.time.series[key] ?? { value: [] };
  }

  // --- cursor and zoom -----------------------------------------------------------------------

  /** Puts the cursor of every chart on a column; null takes it away. */
  setIndex(index: number | null, from?: uPlot): void {
    if (index === this.index && from) return;
    this.index = index;
    const at = index === null ? null : this.report.time.end_s[index]!;
    for (const { plot, showValues } of this.shown) {
      if (plot !== from)
        plot.setCursor({ left: at === null ? -10 : plot.valToPos(at, 'x'), top: -10 }, false);
      showValues(index);
    }
    this.bars.forEach((update) => update());
  }

  zoomTo(low: number, high: number): void {
    const shortest = Math.min(this.report.time.step_s * 2, this.last - this.first);
    const length = Math.max(high - low, shortest);
    this.low = Math.max(this.first, Math.min(low, this.last - length));
    this.high = Math.min(this.last, this.low + length);
    for (const { plot } of this.shown) plot.setScale('x', { min: this.low, max: this.high });
    // The charts take over a new scale only after this turn.
    queueMicrotask(() => this.index !== null && this.setIndex(this.index));
    this.bars.forEach((update) => update());
  }

  /** Around the cursor, or the middle of what is seen; below one is nearer. */
  zoomBy(factor: number): void {
    const middle =
      this.index === null ? (this.low + this.high) / 2 : this.report.time.end_s[this.index]!;
    const share = (middle - this.low) / (this.high - this.low);
    const length = (this.high - this.low) * factor;
    this.zoomTo(middle - length * share, middle + length * (1 - share));
  }

  get zoomed(): boolean {
    return this.low > this.first || this.high < this.last;
  }

  /** "20 s to 21 s, measure" */
  when(index: number): string {
    const { begin_s, end_s, phase } = this.report.time;
    return `${moment(begin_s[index]!)} to ${moment(end_s[index]!)}, ${phase[index]}`;
  }

  private keyPressed(event: KeyboardEvent): void {
    const at = this.index ?? -1;
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - 10,
      PageUp: at + 10,
      Home: 0,
      End: this.columns - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) this.setIndex(Math.max(0, Math.min(this.columns - 1, to)));
    else if (event.key === '+' || event.key === '=') this.zoomBy(0.5);
    else if (event.key === '-') this.zoomBy(2);
    else if (event.key === '0' || event.key === 'Escape') this.zoomTo(this.first, this.last);
    else return;
    event.preventDefault();
  }

  // --- what stands above a stack of charts -------------------------------------------------------

  /** The phases and marks in line with the charts below; a slider for the keyboard. */
  bar(name: string): HTMLElement {
    const readout = el('output', { class: 'readout' });
    const track = el('div', { class: 'track' });
    const slider = el(
      'div',
      {
        class: 'slider',
        role: 'slider',
        tabindex: 0,
        'aria-label': `Moment shown: ${name}`,
        'aria-valuemin': 0,
      },
      track,
    );
    const button = (text: string, label: string, act: () => void) => {
      const made = el('button', { type: 'button', 'aria-label': label, title: label }, text);
      made.addEventListener('click', act);
      return made;
    };
    const whole = button('Whole run', 'Show the whole run', () => this.zoomTo(this.first, this.last));
    slider.addEventListener('keydown', (event) => this.keyPressed(event));
    slider.addEventListener('pointerdown', (event) => {
      const box = track.getBoundingClientRect();
      const at = this.low + ((event.clientX - box.left) / box.width) * (this.high - this.low);
      this.setIndex(this.columnAt(at));
    });
    const update = () => {
      const index = this.index;
      readout.textContent =
        index === null ? 'Point at a chart to read its values; drag to zoom.' : this.when(index);
      slider.setAttribute('aria-valuemax', String(Math.max(this.columns - 1, 0)));
      slider.setAttribute('aria-valuenow', String(index ?? 0));
      slider.setAttribute(
        'aria-valuetext',
        index === null
          ? 'no moment chosen'
          : [this.when(index), ...this.shown.map((one) => one.describeAt(index))]
              .filter((text) => text !== '')
              .join('; '),
      );
      whole.disabled = !this.zoomed;
      slider.style.paddingLeft = `${axisWidth()}px`;
      slider.style.paddingRight = `${kRightPadding}px`;
      track.replaceChildren(...this.trackParts(track.clientWidth));
    };
    this.bars.push(update);
    update();
    new ResizeObserver(update).observe(slider);
    return el(
      'div',
      { class: 'bar' },
      el(
        'div',
        { class: 'bar-row' },
        readout,
        el(
          'div',
          { class: 'buttons' },
          button('−', 'Zoom out', () => this.zoomBy(2)),
          button('+', 'Zoom in', () => this.zoomBy(0.5)),
          whole,
        ),
      ),
      slider,
    );
  }

  private columnAt(time: number): number {
    const found = this.report.time.end_s.findIndex((end) => end >= time);
    return found < 0 ? this.columns - 1 : found;
  }

  private trackParts(width: number): HTMLElement[] {
    const length = this.high - this.low || 1;
    const share = (time: number) =>
      (100 * (Math.max(this.low, Math.min(this.high, time)) - this.low)) / length;
    const parts: HTMLElement[] = [];
    const add = (kind: string, name: string, begin: number, end: number) => {
      if (end <= this.low || begin >= this.high) return;
      // A label that does not fit is left to the title.
      const fits = ((share(end) - share(begin)) / 100) * width > 7 * name.length + 10;
      const part = el('span', { class: kind }, fits ? name : '');
      part.title = `${name}: ${moment(begin)} to ${moment(end)}`;
      part.style.left = `${share(begin)}%`;
      part.style.width = `${share(end) - share(begin)}%`;
      parts.push(part);
    };
    for (const { phase, begin, end } of this.phases)
      add(phase === 'measure' ? 'phase measured' : 'phase', phase, begin, end);
    for (const { is_stage, summary } of this.report.summary.stages) {
      const { name, begin_ns, end_ns } = summary.window;
      if (is_stage) add('phase stage', name, begin_ns / 1e9, end_ns / 1e9);
    }
    for (const mark of this.marks) {
      if (mark.time_s < this.low || mark.time_s > this.high) continue;
      const part = el('span', { class: isGrave(mark) ? 'mark grave' : 'mark' });
      part.title = `${moment(mark.time_s)}: ${markText(mark)}`;
      part.style.left = `${share(mark.time_s)}%`;
      parts.push(part);
    }
    if (this.index !== null) {
      const hand = el('span', { class: 'hand' });
      hand.style.left = `${share(this.report.time.end_s[this.index]!)}%`;
      parts.push(hand);
    }
    return parts;
  }

  // --- charts --------------------------------------------------------------------------------------

  /** Options that every chart over time shares; `last` has the labels of the axis. */
  private options(last: boolean): Omit<uPlot.Options, 'width' | 'height'> {
    return {
      legend: { show: false },
      padding: [8, kRightPadding, last ? 0 : 6, 0],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        points: { size: 7, width: 2, stroke: () => colour('--paper') },
      },
      scales: { x: { time: false, range: () => [this.low, this.high] } },
      axes: [
        axis({
          show: true,
          size: last ? 26 : 0,
          incrs: kTimeSteps,
          space: 70,
          values: (_plot, splits, _axis, _space, step) =>
            splits.map((at) => (last ? timeLabel(at, step) : '')),
        }),
      ],
      series: [{}],
      hooks: {
        drawClear: [
          (plot) => shadePhases(plot, this.phases),
          (plot) => shadeStages(plot, this.report.summary.stages),
        ],
        draw: [(plot) => drawMarks(plot, this.marks)],
        setCursor: [
          (plot) => this.setIndex(plot.cursor.left! < 0 ? null : (plot.cursor.idx ?? null), plot),
        ],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < 6) return;
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.zoomTo(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
          },
        ],
      },
    };
  }

  /** A stack of charts under one bar, with what happened in words below. */
  stack(name: string, panels: Panel[]): HTMLElement {
    const place = el('div', { class: 'stack' }, this.bar(name));
    const drawn = panels.filter((panel) => panel.lines.some((one) => this.has(one.key)));
    for (const panel of panels) {
      if (drawn.includes(panel)) {
        place.append(this.figure(panel, panel === drawn[drawn.length - 1]));
      } else {
        place.append(
          el('p', { class: 'absent' }, el('b', {}, panel.title), ` n/a: ${panel.reason ?? 'not sampled'}`),
        );
      }
    }
    return place;
  }

  private figure(panel: Panel, last: boolean): HTMLElement {
    const lines = panel.lines.filter((one) => this.has(one.key));
    const toggles = lines.length > 1;
    const values = lines.map(() => el('span', { class: 'value' }));
    const legend = lines.map((one, i) => {
      // A chart of one line is named by its title.
      if (one.label === panel.title) return el('span', { class: 'key' }, values[i]!);
      const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.color = `var(${one.colour})`;
      if (one.dash) swatch.classList.add('dashed');
      const parts = [swatch, one.label, values[i]!];
      return toggles
        ? el('button', { type: 'button', class: 'key', 'aria-pressed': 'true' }, ...parts)
        : el('span', { class: 'key' }, ...parts);
    });
    const plotPlace = el('div', { class: 'plot', role: 'img' });
    const say = () =>
      plotPlace.setAttribute('aria-label', `${panel.title}. ${inWords(this.report.time, panel, lines)}`);
    say();
    this.words.push(say);
    const figure = el(
      'figure',
      { id: panel.id, class: 'panel' },
      el(
        'figcaption',
        {},
        el('span', { class: 'panel-title' }, panel.title, ' ', el('small', {}, panel.unit)),
        el('span', { class: 'legend' }, ...legend),
      ),
      plotPlace,
      panel.note ? el('p', { class: 'note' }, panel.note) : null,
      chartTable(panel.title, () => dataTable(this.report.time, panel, lines)),
    );
    // Drawn once it stands in the page, when its width is known.
    queueMicrotask(() => this.draw(panel, lines, last, plotPlace, legend, values));
    return figure;
  }

  /** The edges of what is shaded about a line: lowest, highest. */
  private edges(one: Line): [Maybe[], Maybe[]] | null {
    if (one.between) return [this.series(one.between[0]).value, this.series(one.between[1]).value];
    const { low, high } = this.series(one.key);
    return one.range && low && high ? [low, high] : null;
  }

  private draw(
    panel: Panel,
    lines: Line[],
    last: boolean,
    place: HTMLElement,
    legend: HTMLElement[],
    values: HTMLElement[],
  ): void {
    const options = this.options(last);
    const positions: number[][] = [];
    // What is drawn at each position, read anew when the report has grown.
    const drawn: (() => Maybe[] | number[])[] = [() => this.report.time.end_s];
    options.bands = [];
    for (const one of lines) {
      const own: number[] = [];
      const edges = this.edges(one);
      if (edges) {
        for (const edge of [1, 0] as const) {
          own.push(drawn.length);
          drawn.push(() => this.edges(one)?.[edge] ?? this.series(one.key).value);
          options.series.push({ stroke: 'transparent', width: 0, points: { show: false } });
        }
        options.bands.push({
          series: [drawn.length - 2, drawn.length - 1],
          fill: () => `${colour(one.colour)}2e`,
        });
      }
      own.push(drawn.length);
      drawn.push(() => this.series(one.key).value);
      options.series.push(line(one.colour, one.dash, one.width));
      positions.push(own);
    }
    const data = () => drawn.map((read) => read()) as uPlot.AlignedData;
    options.scales!.y = {
      range: panel.scale ?? fromZero,
      ...(panel.logarithmic ? { distr: 3 } : {}),
    };
    options.axes!.push(
      valueAxis(
        panel.axisFormat ?? panel.format,
        panel.logarithmic ? 'logarithmic' : 'linear',
        panel.steps ? { incrs: panel.steps } : {},
      ),
    );
    const { level } = panel;
    if (level) options.hooks!.draw!.push((plot) => drawLevel(plot, level));

    const plot = fitted(
      place,
      (panel.height ?? 116) + (last ? 26 : 0),
      options,
      data(),
    );
    const at = (one: Line, index: number) => {
      const value = this.series(one.key).value[index];
      return value === null || value === undefined ? 'n/a' : panel.format(value);
    };
    const showValues = (index: number | null) =>
      values.forEach((place_, i) => {
        place_.textContent = index === null ? '' : at(lines[i]!, index);
      });
    this.shown.push({
      plot,
      data,
      showValues,
      describeAt: (index) =>
        lines.map((one) => `${lines.length > 1 ? `${panel.title} ` : ''}${one.label} ${at(one, index)}`).join(', '),
    });
    legend.forEach((key, i) => {
      if (key.tagName !== 'BUTTON') return;
      key.addEventListener('click', () => {
        const show = key.getAttribute('aria-pressed') !== 'true';
        key.setAttribute('aria-pressed', String(show));
        for (const position of positions[i]!) plot.setSeries(position, { show });
      });
    });
  }

  // --- a chart that draws itself -------------------------------------------------------------------

  /** Joins a chart made elsewhere to the cursor, the zoom and the marks of this timeline. */
  join(
    place: HTMLElement,
    height: number,
    last: boolean,
    data: uPlot.AlignedData,
    adapt: (options: Omit<uPlot.Options, 'width' | 'height'>) => void,
    describeAt: (index: number | null) => string,
    output: HTMLElement,
  ): void {
    const options = this.options(last);
    adapt(options);
    const plot = fitted(place, height, options, data);
    this.shown.push({
      plot,
      showValues: (index) => {
        output.textContent = describeAt(index);
      },
      describeAt: (index) => describeAt(index),
    });
  }
}
