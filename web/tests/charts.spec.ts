// The charts: as many points as there are columns, one cursor and one zoom for all, by mouse and by
// keyboard.
import type { Page } from '@playwright/test';
import { percent, rate } from '../src/format';
import { dataOf, expect, test } from './pages';

function plot(page: Page, id: string) {
  return page.locator(`#${id} .u-over`);
}

async function openTable(page: Page, id: string) {
  await page.locator(`#${id} summary`).click();
  return page.locator(`#${id} details tbody tr`);
}

test('every chart is drawn, and its table has a row for each column of time', async ({ page, open }) => {
  await open('hour');
  const { time } = await dataOf(page);
  expect(time.end_s.length).toBe(732);
  for (const id of ['throughput', 'latency-over-time', 'memory-used', 'keys', 'evictions', 'hit-ratio', 'cpu', 'memory-parts', 'worker-throughput', 'loop-lag']) {
    await expect(page.locator(`#${id} canvas`)).toHaveCount(1);
    await expect(await openTable(page, id)).toHaveCount(time.end_s.length);
  }
});

test('a short run has a point for each second', async ({ page, open }) => {
  await open('boundary');
  const { time } = await dataOf(page);
  expect(time.step_s).toBe(1);
  expect(time.end_s).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  const rows = await openTable(page, 'throughput');
  await expect(rows.nth(9)).toContainText(rate(66_000));
});

test('something is drawn on the canvas of each chart', async ({ page, open }) => {
  await open('boundary');
  const colours = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLCanvasElement>('.panel canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }),
  );
  expect(colours.length).toBeGreaterThan(10);
  for (const count of colours) expect(count).toBeGreaterThan(3);
});

test('the cursor is one for all charts and shows their values', async ({ page, open }) => {
  await open('boundary');
  const { time } = await dataOf(page);
  await plot(page, 'throughput').hover({ position: { x: 5, y: 40 } });
  const box = (await plot(page, 'throughput').boundingBox())!;
  await plot(page, 'throughput').hover({ position: { x: box.width / 2, y: 40 } });
  await expect(page.locator('#over-time .readout')).toHaveText('19\u00a0s to 20\u00a0s, measure');
  await expect(page.locator('#throughput .value')).toHaveText(rate(time.series.throughput_per_s!.value[19]!));
  await expect(page.locator('#hit-ratio .value')).toHaveText(percent(time.series.hit_ratio!.value[19]!));
  await expect(page.locator('#heat-map .readout')).toContainText('most requests');
  await page.mouse.move(5, 5);
  await expect(page.locator('#throughput .value')).toHaveText('');
});

test('dragging zooms all charts; the button shows the whole run again', async ({ page, open }) => {
  await open('boundary');
  const whole = page.locator('#over-time').getByRole('button', { name: 'Show the whole run' });
  await expect(whole).toBeDisabled();
  await plot(page, 'throughput').scrollIntoViewIfNeeded();
  const box = (await plot(page, 'throughput').boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(whole).toBeEnabled();
  // The right edge of every chart is now in the middle of the run.
  await plot(page, 'hit-ratio').hover({ position: { x: box.width - 2, y: 30 } });
  await expect(page.locator('#over-time .readout')).toHaveText('19\u00a0s to 20\u00a0s, measure');
  await whole.click();
  await plot(page, 'hit-ratio').hover({ position: { x: box.width - 2, y: 30 } });
  await expect(page.locator('#over-time .readout')).toHaveText('39\u00a0s to 40\u00a0s, measure');
});

test('the keyboard moves the cursor, zooms and tells the values', async ({ page, open }) => {
  await open('boundary');
  const slider = page.locator('#over-time').getByRole('slider');
  await slider.focus();
  await page.keyboard.press('End');
  await expect(slider).toHaveAttribute('aria-valuenow', '39');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('PageDown');
  await expect(slider).toHaveAttribute('aria-valuenow', '28');
  await expect(slider).toHaveAttribute('aria-valuetext', /28\u00a0s to 29\u00a0s, measure; Throughput 46,200\u00a0\/s/);
  await expect(page.locator('#throughput .value')).toHaveText(rate(46_200));
  const whole = page.locator('#over-time').getByRole('button', { name: 'Show the whole run' });
  await page.keyboard.press('+');
  await expect(whole).toBeEnabled();
  await page.keyboard.press('Escape');
  await expect(whole).toBeDisabled();
});

test('a line can be taken off and put back', async ({ page, open }) => {
  await open('boundary');
  const key = page.locator('#latency-over-time').getByRole('button', { name: 'p99.9' });
  const drawn = () => page.locator('#latency-over-time canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  const before = await drawn();
  await key.click();
  await expect(key).toHaveAttribute('aria-pressed', 'false');
  await expect.poll(drawn).not.toBe(before);
  await page.keyboard.press('Enter');
  await expect(key).toHaveAttribute('aria-pressed', 'true');
});

test('the percentile chart is read by pointing at it', async ({ page, open }) => {
  await open('boundary');
  await plot(page, 'percentiles').hover({ position: { x: 300, y: 100 } });
  await expect(page.locator('#percentiles .readout')).toContainText('one request in');
  await expect(page.locator('#percentiles .value').first()).toContainText('us');
});

test('refusals have a chart of their own, and only where there are any', async ({ page, open }) => {
  await open('rejecting');
  await expect(page.locator('#failures canvas')).toHaveCount(1);
  await open('boundary');
  await expect(page.locator('#failures')).toHaveCount(0);
});
