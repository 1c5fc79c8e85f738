// Makes elements. Texts become text nodes, never markup: a run file may hold anything.

export type Child = Node | string | null | undefined | false;

type Attributes = Record<string, string | number | boolean | null | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(parent: Element, children: Child[]): void {
  for (const child of children) if (child) parent.append(child);
}

export interface Table {
  caption: string;
  head: string[];
  /** The first cell of a row is its heading. */
  rows: Child[][];
}

/** A table that scrolls sideways by itself where the screen is narrow. */
export function table({ caption, head, rows }: Table): HTMLElement {
  return el(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': caption },
    el(
      'table',
      {},
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, ...head.map((cell) => el('th', { scope: 'col' }, cell)))),
      el(
        'tbody',
        {},
        ...rows.map((cells) =>
          el(
            'tr',
            {},
            ...cells.map((cell, index) =>
              index === 0 ? el('th', { scope: 'row' }, cell) : el('td', {}, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Content that is made each time it is opened: a page may have grown meanwhile. */
export function details(summary: Child, make: () => HTMLElement): HTMLDetailsElement {
  const head = el('summary', {}, summary);
  const element = el('details', {}, head);
  element.addEventListener('toggle', () => {
    if (element.open) element.replaceChildren(head, make());
  });
  return element;
}

/** The table behind a chart. */
export function chartTable(title: string, make: () => HTMLElement): HTMLDetailsElement {
  return details(el('span', {}, 'Table', el('span', { class: 'unseen' }, `: ${title}`)), make);
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return el(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, title),
    ...children,
  );
}
