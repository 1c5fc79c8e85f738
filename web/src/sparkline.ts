// A small picture of a few values, beside the number that says the same.
import type { Maybe } from './data';

const kNamespace = 'http://www.w3.org/2000/svg';
const kWidth = 96;
const kHeight = 22;

function node(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(kNamespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** From zero to `top`, else to the highest value; a gap where a value is not known. */
export function sparkline(values: Maybe[], top?: number): SVGElement {
  const picture = node('svg', {
    class: 'spark',
    viewBox: `0 0 ${kWidth} ${kHeight}`,
    width: kWidth,
    height: kHeight,
    'aria-hidden': 'true',
  });
  const highest = values.reduce((high: number, value) => Math.max(high, value ?? 0), top ?? 0);
  const step = kWidth / Math.max(values.length, 1);
  const y = (value: number) => kHeight - 1.5 - (highest > 0 ? value / highest : 0) * (kHeight - 3);
  let line = '';
  let area = '';
  let begin: number | null = null;
  values.forEach((value, i) => {
    if (value === null) {
      begin = null;
      return;
    }
    const [left, right] = [i * step, (i + 1) * step];
    const height = y(value).toFixed(1);
    line += `${begin === null ? 'M' : 'L'}${left.toFixed(1)} ${height}H${right.toFixed(1)}`;
    area += `M${left.toFixed(1)} ${kHeight}V${height}H${right.toFixed(1)}V${kHeight}Z`;
    begin = i;
  });
  if (line !== '') {
    picture.append(node('path', { class: 'area', d: area }), node('path', { class: 'line', d: line }));
  }
  return picture;
}
