// How to do it again, and how it is known that nothing was left behind.
import { measuredAnything, type Report } from './data';
import { details, el, table, type Child } from './dom';
import { duration, kNotAvailable, moment } from './format';

/** Facts of this kind are many and rarely looked at. */
const kConfiguration = 'engine.config.';

function code(text: string): HTMLElement {
  return el('pre', { tabindex: 0 }, el('code', {}, text));
}

export function reproduce(report: Report): Child[] {
  const { run, lifecycle } = report.summary;
  const { left_behind } = report.words;
  const named = Object.entries(run.facts);
  const facts: Child[][] = [
    ['run', run.run_id],
    ['file', run.file ?? kNotAvailable],
    ['SHA-256 of its content', run.digest_sha256 ?? `${kNotAvailable}: the file was not sealed`],
    ['started', run.started_utc],
    ['headroom', run.tool_version],
    ...named.filter(([name]) => !name.startsWith(kConfiguration)),
  ];
  const configuration = named
    .filter(([name]) => name.startsWith(kConfiguration))
    .map(([name, value]) => [name.slice(kConfiguration.length), value === '' ? '(empty)' : value]);
  const origin = report.origin_ns;
  return [
    el('h3', {}, 'Command'),
    code(run.command_line),
    el('h3', {}, 'Scenario, fully resolved'),
    code(run.scenario_toml),
    table({ caption: 'What ran where', head: ['fact', 'value'], rows: facts }),
    configuration.length === 0
      ? null
      : details(`${configuration.length} settings of the engine`, () =>
          table({ caption: 'What CONFIG GET told', head: ['setting', 'value'], rows: configuration }),
        ),
    table({
      caption: `Phases, from the begin of ${measuredAnything(report) ? 'measuring' : 'the run'}`,
      head: ['phase', 'began', 'took'],
      rows: lifecycle.phases.map(({ phase, begin_ns, end_ns }) => [
        phase,
        moment((begin_ns - origin) / 1e9),
        end_ns === null ? 'the run died in it' : duration(end_ns - begin_ns),
      ]),
    }),
    left_behind === null ? null : el('p', { class: 'note bad' }, `Tear-down: ${left_behind}`),
    lifecycle.receipts.length === 0
      ? null
      : table({
          caption: 'Tear-down: how it is known that what the run made is gone',
          head: ['step', 'proved', 'evidence'],
          rows: lifecycle.receipts.map(({ what, proved, evidence }) => [
            what,
            proved ? 'proved' : 'NOT PROVED',
            evidence,
          ]),
        }),
  ];
}
