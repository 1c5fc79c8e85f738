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
    for (const name of ['boundary', 'incomplete', 'empty'] as const) {
      test(`${name}: axe finds no violation`, async ({ page, open }) => {
        await open(name);
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
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
  for (const name of kNames) {
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

test('dark charts are drawn in dark colours, and paper in light ones', async ({ page, open }) => {
  await open('boundary');
  const colour = (name: string) =>
    page.evaluate((property) => getComputedStyle(document.documentElement).getPropertyValue(property), name);
  const light = await colour('--paper');
  const canvas = () =>
    page.locator('#throughput canvas').evaluate((one: HTMLCanvasElement) => one.toDataURL());
  const drawn = await canvas();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await colour('--paper')).not.toBe(light);
  await expect.poll(canvas).not.toBe(drawn);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  expect(await colour('--paper')).toBe(light);
  await expect.poll(canvas).toBe(drawn);
});
