// For everybody: axe finds nothing serious, nothing is wider than a phone, all can be reached by
// keyboard, dark and paper have their own colours.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, kNames, test } from './pages';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    for (const name of ['boundary', 'stall', 'incomplete', 'empty', 'group', 'catalogue'] as const) {
      test(`${name}: axe finds no violation`, async ({ page, open }) => {
        await open(name);
        // One table behind a chart stands for all: they differ in nothing but their numbers.
        await page.evaluate(() => document.querySelector('details')?.setAttribute('open', ''));
        await page.evaluate(axe);
        const violations = await page.evaluate(async () => {
          const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
          return (await axe.run()).violations.map(({ id, impact, nodes }) => ({ id, impact, at: nodes.map((node) => node.target.join(' ')) }));
        });
        expect(violations).toEqual([]);
      });
    }
  });
}

test.describe('phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });
  for (const name of [...kNames, 'group', 'catalogue'] as const) {
    test(`${name}: nothing is wider than the screen`, async ({ page, open }) => {
      await open(name);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(360);
    });
  }
});

test('charts follow the width of the window', async ({ page, open }) => {
  await open('boundary');
  const canvas = page.locator('#throughput .uplot');
  await page.setViewportSize({ width: 700, height: 900 });
  await expect.poll(async () => (await canvas.boundingBox())!.width).toBeLessThan(660);
});

test('all that can be used is reached by the tab key, in the order of the page', async ({ page, open }) => {
  await open('boundary');
  const usable = await page.evaluate(
    () => document.querySelectorAll('a[href], button:enabled, summary, [tabindex="0"]').length,
  );
  let reached = 0;
  let above = -Infinity;
  for (; reached < usable; ++reached) {
    await page.keyboard.press('Tab');
    const top = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused || focused === document.body) return null;
      return focused.getBoundingClientRect().top + window.scrollY;
    });
    if (top === null) break;
    // Keys of one legend stand on lines of their own; a sticky bar moves. A page is not 200 px back.
    expect(top).toBeGreaterThan(above - 200);
    above = top;
  }
  expect(reached).toBe(usable);
});

test('charts take the colours of dark, and of paper those of light', async ({ page, open }) => {
  await open('boundary');
  const colour = (name: string) =>
    page.evaluate((property) => getComputedStyle(document.documentElement).getPropertyValue(property), name);
  // The most frequent opaque colour of a chart of one line: that of its line.
  const drawn = () =>
    page.locator('#keys canvas').evaluate((canvas: HTMLCanvasElement) => {
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const counts = new Map<string, number>();
      for (let i = 0; i < data.length; i += 4) {
        const [red, green, blue] = [data[i]!, data[i + 1]!, data[i + 2]!];
        if (data[i + 3] !== 255 || Math.max(red, green, blue) - Math.min(red, green, blue) < 40) continue;
        const name = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
    });
  const light = await colour('--s3');
  await expect.poll(drawn).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await colour('--s3');
  expect(dark).not.toBe(light);
  await expect.poll(drawn).toBe(dark);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  expect(await colour('--s3')).toBe(light);
  await expect.poll(drawn).toBe(light);
});
