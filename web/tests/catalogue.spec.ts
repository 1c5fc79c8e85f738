// The list of run files: search, filters, order, ticks; all of it from the page's own data.
import { expect, test } from './pages';

test.beforeEach(async ({ open }) => {
  await open('catalogue');
});

function rows(page: import('@playwright/test').Page) {
  return page.locator('tbody tr');
}

test('lists every file, the latest first, with figures that have units', async ({ page }) => {
  await expect(rows(page)).toHaveCount(9);
  await expect(page.locator('.count')).toHaveText('9 runs');
  const boundary = rows(page).filter({ hasText: 'boundary.run' });
  await expect(boundary).toContainText('Full after 20.5\u00a0s: evictions began');
  await expect(boundary).toContainText('56,100\u00a0/s');
  await expect(boundary.locator('svg .line')).toHaveCount(4);
  await expect(rows(page).filter({ hasText: 'damaged.run' })).toContainText('cannot be read: the file is damaged');
});

test('search and filters narrow the list and stand in the address', async ({ page }) => {
  await page.getByRole('searchbox').fill('NIGHT stall');
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator('.count')).toHaveText('1 of 9 runs');
  expect(page.url()).toContain('#search=NIGHT+stall');
  await page.getByRole('searchbox').fill('');
  await page.getByLabel('regime').selectOption('boundary');
  for (const text of await rows(page).locator('.verdict').allTextContents()) expect(text).toContain('boundary');
  await page.reload();
  await expect(page.getByLabel('regime')).toHaveValue('boundary');
});

test('a head sorts, and once more the other way', async ({ page }) => {
  const values = async () =>
    (await rows(page).locator('[data-label="Throughput"]').allTextContents())
      .filter((text) => text !== 'n/a')
      .map((text) => Number(text.replace(/[^\d.]/g, '')));
  await page.getByRole('button', { name: 'Throughput' }).click();
  const down = await values();
  expect(down).toEqual([...down].sort((a, b) => b - a));
  await page.getByRole('button', { name: 'Throughput' }).click();
  const up = await values();
  expect(up).toEqual([...up].sort((a, b) => a - b));
  await expect(page.locator('th[aria-sort]')).toHaveText('Throughput');
});

test('ticked runs lead to a comparison', async ({ page }) => {
  await expect(page.locator('.comparison')).toHaveText('Tick runs to compare them.');
  await page.getByLabel('Compare boundary.run').check();
  await expect(page.locator('.comparison a')).toHaveCount(0);
  await page.getByLabel('Compare night/hour.run').check();
  await expect(page.locator('.comparison a')).toHaveAttribute('href', '/compare?run=boundary.run&run=night%2Fhour.run');
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page.locator('tbody input:checked')).toHaveCount(0);
});

test('markup in a name is text, and its report can be reached', async ({ page }) => {
  await expect(page.locator('img')).toHaveCount(0);
  const link = rows(page).filter({ hasText: '<img src=x onerror=alert(1)>.run' }).locator('a');
  await expect(link).toHaveAttribute('href', '/run/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E.run');
});
