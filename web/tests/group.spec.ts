// The page of a group: its figures are those of --json, every run is drawn, and the median.
import { readFileSync, statSync } from 'node:fs';
import { duration, rate } from '../src/format';
import { expect, folder, pagePath, test } from './pages';

interface GroupJson {
  headline: string;
  runs: unknown[];
  figures: Record<string, { min: number; median: number; max: number; values: number[] }>;
  differing: Record<string, unknown>;
}

const group = JSON.parse(readFileSync(`${folder()}/group.json`, 'utf8')) as GroupJson;

test('the headline says what the runs agree on', async ({ page, open }) => {
  await open('group');
  await expect(page.locator('h1')).toHaveText(group.headline);
  expect(await page.title()).toContain(group.headline);
});

test('ranges are those of --json, with their unit', async ({ page, open }) => {
  await open('group');
  const row = page.locator('#ranges tr', { hasText: /^throughput\d/ });
  const figure = group.figures.throughput_per_s!;
  const cells = await row.locator('td').allTextContents();
  expect(cells.slice(1, 4)).toEqual([figure.min, figure.median, figure.max].map(rate));
  expect(cells.slice(7)).toEqual(figure.values.map(rate));
  await expect(page.locator('.figures')).toContainText(duration(group.figures.latency_p99_ns!.median));
});

test('every run has a line, and so has the median', async ({ page, open }) => {
  await open('group');
  await page.locator('#throughput summary').click();
  const head = page.locator('#throughput details thead th');
  await expect(head).toHaveText(['until', 'run 1', 'run 2', 'run 3', 'run 4', 'run 5', 'median']);
  await expect(page.locator('#throughput details tbody tr')).toHaveCount(40);
  const first = await page.locator('#throughput details tbody tr').first().locator('td').allTextContents();
  const values = first.slice(0, 5).map((text) => Number(text.replace(/[^\d]/g, '')));
  expect(first[5]).toBe(rate([...values].sort((a, b) => a - b)[2]!));
});

test('pointing at a chart tells the median and the range', async ({ page, open }) => {
  await open('group');
  const over = page.locator('#throughput .u-over');
  await over.scrollIntoViewIfNeeded();
  const box = (await over.boundingBox())!;
  await over.hover({ position: { x: box.width / 2, y: 40 } });
  await expect(page.locator('#throughput .readout')).toContainText(/median .*\/s, runs .* to .*\/s/);
});

test('the page is small and needs nobody', async ({ page, open }) => {
  await open('group');
  expect(statSync(pagePath('group')).size).toBeLessThan(1_000_000);
  await expect(page.locator('#agreement')).toContainText('What all runs agree on');
});
