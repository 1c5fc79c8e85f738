import { showComparison } from './compare';
import { isComparison } from './compare-data';
import { isOpenLoop, measuredAnything, readReport, type Report } from './data';
import { append, el, section, type Child } from './dom';
import { heatMap, latencyTable, percentileChart, slowest, slowestTable, splitTable } from './latency';
import { follow } from './live';
import { numbers } from './numbers';
import { cliffPanels, enginePanels, generatorPanels, skew, workerTable } from './over-time';
import { parts } from './parts';
import { reproduce } from './reproduce';
import { Timeline } from './timeline';
import { moments, verdict } from './verdict';

function lead(text: string): HTMLElement {
  return el('p', { class: 'section-lead' }, text);
}

/** A part of the page that is made anew when the report has grown, unless somebody is using it. */
class Part {
  readonly place = el('div');

  constructor(private readonly make: (report: Report) => Child | Child[]) {}

  show(report: Report): HTMLElement {
    this.place.replaceChildren();
    append(this.place, [this.make(report)].flat());
    return this.place;
  }

  grow(report: Report): void {
    const used = this.place.contains(document.activeElement) || this.place.querySelector('details[open]');
    if (!used) this.show(report);
  }
}

class Page {
  private readonly main = document.getElementById('report')!;
  private readonly strip = el('div', { class: 'strip' });
  private timeline: Timeline | null = null;
  private parts: Part[] = [];
  private shape = '';

  /** What the page is made of, apart from its values: if that changes it is made anew. */
  private static shapeOf(report: Report): string {
    return [measuredAnything(report), report.time.step_s > 1, ...Object.keys(report.time.series)].join(' ');
  }

  show(report: Report): void {
    document.title = `${report.summary.run.scenario}: ${report.words.headline}`;
    if (this.timeline && this.shape === Page.shapeOf(report)) {
      this.parts.forEach((part) => part.grow(report));
      this.timeline.grow(report);
      return;
    }
    this.shape = Page.shapeOf(report);
    this.parts = [];
    const scrolled = window.scrollY;
    const sections = measuredAnything(report) ? this.measuredSections(report) : [];
    sections.push(section('reproduce', 'How to reproduce', this.part(report, reproduce)));
    this.main.replaceChildren();
    append(this.main, [
      this.strip,
      this.part(report, verdict),
      sections.length > 1 ? contents(sections) : null,
      ...sections,
      footer(report),
    ]);
    window.scrollTo(0, scrolled);
  }

  /** What stands above everything while the run goes. */
  tell(...children: Child[]): void {
    this.strip.replaceChildren();
    append(this.strip, children);
  }

  private part(report: Report, make: (report: Report) => Child | Child[]): HTMLElement {
    const part = new Part(make);
    this.parts.push(part);
    return part.show(report);
  }

  private measuredSections(report: Report): HTMLElement[] {
    const timeline = new Timeline(report);
    this.timeline = timeline;
    const hasParts = parts(report).length > 0;
    return [
      section(
        'over-time',
        'Over time',
        this.part(report, grain),
        timeline.stack('over time', cliffPanels(report)),
        this.part(report, moments),
      ),
      ...(hasParts ? [section('parts', 'Stages and loads', this.part(report, parts))] : []),
      section(
        'latency',
        'Latency',
        lead(
          isOpenLoop(report)
            ? 'Response is what a user waits: from the time for which a request was intended until its reply was parsed. Service is from its own send. Percentiles are of merged histograms, never averages.'
            : 'From a request’s own send until its own reply was parsed. Percentiles are of merged histograms, never averages.',
        ),
        this.part(report, percentileChart),
        this.part(report, latencyTable),
        this.part(report, (grown) => heatMap(grown, timeline)),
        this.part(report, slowest),
        this.part(report, splitTable),
        this.part(report, slowestTable),
      ),
      section('engine', 'Engine and node', timeline.stack('engine and node', enginePanels(report))),
      section(
        'generator',
        'Generator',
        lead('Whether the load itself was sound: a busy or unequal generator measures itself.'),
        timeline.stack('generator', generatorPanels(report)),
        this.part(report, (grown) => [skew(grown), workerTable(grown)]),
      ),
      section('numbers', 'Numbers', this.part(report, numbers)),
    ];
  }
}

function grain(report: Report): HTMLElement {
  const step = report.time.step_s;
  const point =
    step === 1
      ? 'A point is a second and stands at its end.'
      : `A point is ${step} seconds and stands at their end; shading reaches from the lowest to the highest of the seconds.`;
  return lead(`${point} Grey: not measured.`);
}

function contents(sections: HTMLElement[]): HTMLElement {
  return el(
    'nav',
    { 'aria-label': 'Contents' },
    ...sections.map((one) =>
      el('a', { href: `#${one.id}` }, one.querySelector('h2')?.textContent ?? ''),
    ),
  );
}

function footer(report: Report): HTMLElement {
  return el(
    'footer',
    {},
    el('p', {}, `Made by headroom ${report.summary.run.tool_version} from a run file, which holds every second of it: headroom export FILE.`),
  );
}

const data = readReport();
if (isComparison(data)) {
  showComparison(data);
} else {
  const page = new Page();
  page.show(data);
  follow(data, (grown) => page.show(grown), (...children) => page.tell(...children));
}
