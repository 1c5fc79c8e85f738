import { measuredAnything, readReport, type Report } from './data';
import { append, el, section, type Child } from './dom';
import { heatMap, latencyTable, percentileChart, slowestTable, splitTable } from './latency';
import { numbers } from './numbers';
import { cliffPanels, enginePanels, generatorPanels, workerTable } from './over-time';
import { reproduce } from './reproduce';
import { Timeline } from './timeline';
import { moments, verdict } from './verdict';

function lead(text: string): HTMLElement {
  return el('p', { class: 'section-lead' }, text);
}

function measuredSections(report: Report): HTMLElement[] {
  const timeline = new Timeline(report);
  const step = report.time.step_s;
  const grain =
    step === 1
      ? 'A point is a second and stands at its end.'
      : `A point is ${step} seconds and stands at their end; shading reaches from the lowest to the highest of the seconds.`;
  return [
    section(
      'over-time',
      'Over time',
      lead(`${grain} Grey: not measured.`),
      timeline.stack('over time', cliffPanels(report)),
      moments(report),
    ),
    section(
      'latency',
      'Latency',
      lead('From a request’s own send until its own reply was parsed. Percentiles are of merged histograms, never averages.'),
      percentileChart(report),
      latencyTable(report),
      splitTable(report),
      slowestTable(report),
      heatMap(report, timeline),
    ),
    section('engine', 'Engine and node', timeline.stack('engine and node', enginePanels(report))),
    section(
      'generator',
      'Generator',
      lead('Whether the load itself was sound: a busy or unequal generator measures itself.'),
      timeline.stack('generator', generatorPanels(report)),
      workerTable(report),
    ),
    section('numbers', 'Numbers', ...numbers(report)),
  ];
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

function show(report: Report): void {
  document.title = `${report.summary.run.scenario}: ${report.words.headline}`;
  const sections = measuredAnything(report) ? measuredSections(report) : [];
  sections.push(section('reproduce', 'How to reproduce', ...reproduce(report)));
  const children: Child[] = [
    verdict(report),
    sections.length > 1 ? contents(sections) : null,
    ...sections,
    footer(report),
  ];
  append(document.getElementById('report')!, children);
}

function footer(report: Report): HTMLElement {
  return el(
    'footer',
    {},
    el('p', {}, `Made by headroom ${report.summary.run.tool_version} from a run file, which holds every second of it: headroom export FILE.`),
  );
}

show(readReport());
