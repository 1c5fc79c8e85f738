// The list of run files that `headroom serve` shows: search, filters, order, small pictures, and
// ticks that lead to a comparison.
import { append, el, type Child } from './dom';
import { duration, grouped, keysText, kNotAvailable, moment, orNotAvailable, percent, rate, unbroken, type Format } from './format';
import type { Maybe, Tone } from './data';
import { sparkline } from './sparkline';

type LineName = 'throughput_per_s' | 'p99_ns' | 'memory_used_ratio' | 'evictions_per_s';

interface Entry {
  scenario: string;
  engine: string;
  target: string;
  load: string;
  started_utc: string;
  headline: string;
  tone: Tone;
  state: string;
  regime: string | null;
  limiter: string | null;
  measured_s: number;
  throughput_per_s: Maybe;
  p99_ns: Maybe;
  open_loop: boolean;
  memory_used_max_ratio: Maybe;
  evictions: Maybe;
  hit_ratio_client: Maybe;
  warnings: number;
  lines: Record<LineName, Maybe[]>;
}

interface ListedRun {
  file: string;
  bytes: number;
  modified_utc: string;
  problem: string | null;
  entry: Entry | null;
}

interface Listing {
  directory: string;
  unread: number;
  too_many: boolean;
  runs: ListedRun[];
}

interface Column {
  key: string;
  label: string;
  /** Sorts by it; absent values come last. */
  value: (run: ListedRun) => string | number | null;
  line?: LineName;
  format?: Format;
  /** The top of its small picture, where that is not the highest value. */
  top?: number;
}

const kColumns: Column[] = [
  { key: 'run', label: 'Run', value: (run) => run.entry?.scenario ?? run.file },
  { key: 'started', label: 'Started', value: (run) => run.entry?.started_utc ?? run.modified_utc },
  { key: 'regime', label: 'Verdict', value: (run) => run.entry?.regime ?? null },
  { key: 'throughput', label: 'Throughput', value: (run) => run.entry?.throughput_per_s ?? null, line: 'throughput_per_s', format: rate },
  { key: 'p99', label: 'p99', value: (run) => run.entry?.p99_ns ?? null, line: 'p99_ns', format: duration },
  { key: 'memory', label: 'Memory, max', value: (run) => run.entry?.memory_used_max_ratio ?? null, line: 'memory_used_ratio', format: percent, top: 1 },
  { key: 'evictions', label: 'Evictions', value: (run) => run.entry?.evictions ?? null, line: 'evictions_per_s', format: keysText },
];

const kFilters = ['state', 'regime', 'limiter', 'engine'] as const;
type FilterName = (typeof kFilters)[number];

/** What the user chose; kept in the address, so that a reload and a link show the same. */
class Choice {
  search = '';
  sort = 'started';
  down = true;
  readonly filters = new Map<FilterName, string>();

  constructor() {
    const known = new URLSearchParams(location.hash.slice(1));
    this.search = known.get('search') ?? '';
    const sort = known.get('sort');
    if (sort !== null && kColumns.some((column) => column.key === sort)) this.sort = sort;
    this.down = known.get('order') !== 'up';
    for (const name of kFilters) {
      const value = known.get(name);
      if (value) this.filters.set(name, value);
    }
  }

  keep(): void {
    const words = new URLSearchParams();
    if (this.search !== '') words.set('search', this.search);
    if (this.sort !== 'started') words.set('sort', this.sort);
    if (!this.down) words.set('order', 'up');
    for (const [name, value] of this.filters) words.set(name, value);
    const text = words.toString();
    history.replaceState(null, '', text === '' ? location.pathname : `#${text}`);
  }
}

const choice = new Choice();
const ticked = new Set<string>();
let listing = JSON.parse(document.getElementById('headroom-data')?.textContent ?? '') as Listing;

function filterValue(run: ListedRun, name: FilterName): string {
  if (!run.entry) return run.problem === null ? '' : 'unreadable';
  return run.entry[name] ?? kNotAvailable;
}

function matches(run: ListedRun): boolean {
  for (const [name, value] of choice.filters) if (filterValue(run, name) !== value) return false;
  const { entry } = run;
  const text = [run.file, run.problem ?? '', ...(entry ? [entry.scenario, entry.engine, entry.target, entry.load, entry.headline, entry.state, entry.regime ?? '', entry.limiter ?? ''] : [])]
    .join(' ')
    .toLowerCase();
  return choice.search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function ordered(runs: ListedRun[]): ListedRun[] {
  const { value } = kColumns.find((column) => column.key === choice.sort)!;
  const sign = choice.down ? -1 : 1;
  return [...runs].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return left < right ? -sign : left > right ? sign : a.file < b.file ? -1 : 1;
  });
}

// --- rows ------------------------------------------------------------------------------------------

/** Each part of a path by itself: a file's name may hold anything. */
function address(prefix: string, file: string): string {
  return prefix + file.split('/').map(encodeURIComponent).join('/');
}

function toned(tone: Tone, text: string): HTMLElement {
  const sign = { good: '✓', caution: '!', bad: '✕', plain: '' }[tone];
  return el('span', { class: `toned ${tone}` }, sign === '' ? null : el('span', { class: 'sign', 'aria-hidden': 'true' }, sign), unbroken(text));
}

function tick(run: ListedRun): HTMLElement {
  const box = el('input', { type: 'checkbox', 'aria-label': `Compare ${run.file}`, disabled: run.entry === null });
  box.checked = ticked.has(run.file);
  box.addEventListener('change', () => {
    if (box.checked) ticked.add(run.file);
    else ticked.delete(run.file);
    showComparison();
  });
  return el('td', { class: 'tick' }, box);
}

function started(iso: string): HTMLElement {
  return el('time', { datetime: iso }, iso.slice(0, 10), ' ', el('span', {}, `${iso.slice(11, 19)}\u00a0UTC`));
}

function numberCell(run: ListedRun, column: Column): HTMLElement {
  const value = column.value(run) as Maybe;
  const entry = run.entry!;
  const values = entry.lines[column.line!];
  return el(
    'td',
    { class: 'number', 'data-label': column.label },
    sparkline(values, column.top),
    el('span', {}, orNotAvailable(value, column.format!)),
  );
}

function row(run: ListedRun): HTMLElement {
  const { entry } = run;
  const name = el(
    'th',
    { scope: 'row', class: 'run' },
    el('a', { href: address('/run/', run.file) }, entry?.scenario ?? run.file),
    el('small', {}, run.file),
  );
  if (!entry) {
    return el(
      'tr',
      {},
      tick(run),
      name,
      el('td', { class: 'started' }, started(run.modified_utc)),
      el('td', { class: 'problem', colspan: kColumns.length - 2 }, run.problem === null ? 'not read yet' : toned('bad', `cannot be read: ${run.problem}`)),
    );
  }
  const notes = [
    entry.regime ?? kNotAvailable,
    entry.limiter === null ? null : entry.limiter === 'unclear' ? 'limiter unclear' : `limited by ${entry.limiter}`,
    entry.state === 'complete' ? null : entry.state,
    entry.warnings === 0 ? null : entry.warnings === 1 ? '1 warning' : `${entry.warnings} warnings`,
  ].filter((note) => note !== null);
  return el(
    'tr',
    {},
    tick(run),
    name,
    el('td', { class: 'started' }, started(entry.started_utc), el('small', {}, `${entry.engine === '' ? 'engine of unknown name' : entry.engine}, ${moment(entry.measured_s)}`)),
    el('td', { class: 'verdict' }, toned(entry.state === 'complete' ? entry.tone : 'bad', entry.headline), el('small', {}, notes.join(', '))),
    ...kColumns.slice(3).map((column) => numberCell(run, column)),
  );
}

// --- the page --------------------------------------------------------------------------------------

const body = el('tbody');
const count = el('p', { class: 'count', role: 'status' });
const comparison = el('p', { class: 'comparison' });
const heads = kColumns.map((column) => {
  const button = el('button', { type: 'button' }, column.label);
  button.addEventListener('click', () => {
    if (choice.sort === column.key) choice.down = !choice.down;
    else [choice.sort, choice.down] = [column.key, column.key !== 'run'];
    show();
  });
  return el('th', { scope: 'col', class: column.line ? 'number' : null }, button);
});
const filters = kFilters.map((name) => {
  const select = el('select');
  select.addEventListener('change', () => {
    if (select.value === '') choice.filters.delete(name);
    else choice.filters.set(name, select.value);
    show();
  });
  return { name, select };
});

function showFilters(): void {
  for (const { name, select } of filters) {
    const values = new Set(listing.runs.map((run) => filterValue(run, name)).filter((value) => value !== ''));
    const chosen = choice.filters.get(name);
    if (chosen !== undefined) values.add(chosen);
    const options = [...values].sort();
    const shown = [...select.options].slice(1).map((option) => option.value);
    if (select.options.length > 0 && options.join('\n') === shown.join('\n')) continue;
    select.replaceChildren(el('option', { value: '' }, `any ${name}`), ...options.map((value) => el('option', { value }, value)));
    select.value = chosen ?? '';
  }
}

function showComparison(): void {
  for (const file of ticked) if (!listing.runs.some((run) => run.file === file)) ticked.delete(file);
  const words = new URLSearchParams([...ticked].map((file): [string, string] => ['run', file]));
  const clear = el('button', { type: 'button', class: 'plain' }, 'Clear');
  clear.addEventListener('click', () => {
    ticked.clear();
    show();
  });
  const children: Child[] =
    ticked.size < 2
      ? [ticked.size === 0 ? 'Tick runs to compare them.' : 'Tick one more run to compare the two.']
      : [el('a', { class: 'action', href: `/compare?${words.toString()}` }, `Compare ${ticked.size} runs`)];
  comparison.replaceChildren();
  append(comparison, [...children, ticked.size > 0 ? ' ' : null, ticked.size > 0 ? clear : null]);
}

function show(): void {
  choice.keep();
  showFilters();
  const runs = ordered(listing.runs.filter(matches));
  const focused = document.activeElement?.getAttribute('aria-label');
  body.replaceChildren(...runs.map(row));
  if (focused) body.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  heads.forEach((head, i) => {
    if (kColumns[i]!.key === choice.sort) head.setAttribute('aria-sort', choice.down ? 'descending' : 'ascending');
    else head.removeAttribute('aria-sort');
  });
  const all = listing.runs.length;
  count.textContent =
    all === 0
      ? 'No run file here yet. headroom run SCENARIO writes one.'
      : (runs.length === all ? `${grouped(all)} ${all === 1 ? 'run' : 'runs'}` : `${grouped(runs.length)} of ${grouped(all)} runs`) +
        (listing.unread > 0 ? `, ${grouped(listing.unread)} being read` : '') +
        (listing.too_many ? '; there are more, which are left out' : '');
  showComparison();
}

function page(): void {
  document.title = `${listing.directory}: Headroom runs`;
  const search = el('input', { type: 'search', placeholder: 'Search name, file, engine, load', 'aria-label': 'Search' });
  search.value = choice.search;
  search.addEventListener('input', () => {
    choice.search = search.value;
    show();
  });
  append(document.getElementById('catalogue')!, [
    el('p', { class: 'kicker' }, el('span', { class: 'brand' }, 'Headroom')),
    el('h1', {}, listing.directory),
    el(
      'div',
      { class: 'controls' },
      search,
      ...filters.map(({ name, select }) => el('label', {}, el('span', { class: 'unseen' }, name), select)),
    ),
    el('div', { class: 'status' }, count, comparison),
    el(
      'div',
      { class: 'runs', role: 'region', 'aria-label': 'Runs', tabindex: 0 },
      el('table', {}, el('caption', { class: 'unseen' }, 'Run files'), el('thead', {}, el('tr', {}, el('td', {}), ...heads)), body),
    ),
    el('footer', {}, el('p', {}, 'Pictures show the measure window from left to right, from zero to the highest value; memory to its limit.')),
  ]);
  show();
}

/** New files and those that were not read yet; the server reads each file once. */
async function refresh(): Promise<void> {
  if (!document.hidden) {
    try {
      const answer = await fetch('/runs.json');
      if (answer.ok) {
        const before = JSON.stringify(listing);
        listing = (await answer.json()) as Listing;
        if (JSON.stringify(listing) !== before) show();
      }
    } catch {
      count.textContent = 'The server has ended; start headroom serve again and reload.';
    }
  }
  setTimeout(() => void refresh(), listing.unread > 0 ? 100 : 5000);
}

page();
setTimeout(() => void refresh(), listing.unread > 0 ? 0 : 5000);
