// A run that still goes: takes over each new state that its server sends, and says so above the
// page. When the run ends the server says that too; when it dies, its silence does.
import type { Report } from './data';
import { el, type Child } from './dom';
import { moment } from './format';

/** Attempts to reach the server again, three seconds apart in most browsers. */
const kAttempts = 3;

export function follow(
  first: Report,
  show: (report: Report) => void,
  tell: (...children: Child[]) => void,
): void {
  if (first.served.events === null) return;
  let report = first;
  let shown = first;
  let came = performance.now();
  let failures = 0;
  const state = el('b', { role: 'status' });
  const rest = el('span');
  const say = (text: string, more: string) => {
    if (state.textContent !== text) state.textContent = text;
    rest.textContent = more;
  };
  tell(el('span', { class: 'beat', 'aria-hidden': 'true' }), state, ' ', rest);

  const stream = new EventSource(first.served.events);
  const countdown = () => {
    const { phase, left_s } = report.served;
    const left = left_s === null ? null : Math.max(0, Math.round(left_s - (performance.now() - came) / 1000));
    say('Running', `${phase ?? ''}${left === null ? '' : `, ${moment(left)} left`}`);
  };
  const draw = () => {
    if (document.hidden || shown === report) return;
    shown = report;
    show(report);
  };
  const end = (text: string, more: string) => {
    clearInterval(clock);
    stream.close();
    document.querySelector('.strip')?.classList.add('ended');
    draw();
    say(text, more);
  };
  const take = (event: MessageEvent<string>): boolean => {
    const grown = JSON.parse(event.data) as Report;
    failures = 0;
    // Another run may be served under the same address by now.
    if (grown.summary.run.run_id !== first.summary.run.run_id) {
      end('The run has ended', 'Another one is served here now: reload to see it.');
      return false;
    }
    report = grown;
    came = performance.now();
    draw();
    return true;
  };
  const clock = setInterval(countdown, 1000);
  countdown();
  document.addEventListener('visibilitychange', draw);
  stream.addEventListener('grown', (event) => {
    if (take(event)) countdown();
  });
  stream.addEventListener('last', (event) => {
    if (take(event)) end('The run has ended', `${report.words.state}. This is the whole of it: ${report.summary.run.file ?? ''}`);
  });
  stream.addEventListener('error', () => {
    ++failures;
    if (failures < kAttempts && stream.readyState !== EventSource.CLOSED) {
      say('No news', 'The server does not answer; trying again.');
      return;
    }
    end(
      'The run is out of sight',
      `Its program has ended or cannot be reached. What is shown is what came until then; what was committed is in ${report.summary.run.file ?? 'its run file'}.`,
    );
  });
}
