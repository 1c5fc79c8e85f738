// The page of a comparison: the figures of --json, every run, and nothing said that was not tested.
import { readFileSync } from 'node:fs';
import type { Comparison } from '../src/compare-data';
import { rate, unbroken } from '../src/format';
import { comparisonPath, dataOfComparison, expect, test } from './pages';

function jsonOf(name: string): Comparison {
  return JSON.parse(readFileSync(comparisonPath(name).replace(/html$/, 'json'), 'utf8')) as Comparison;
}

for (const name of ['compare', 'compare-invalid', 'compare-hostile', 'compare-baseline']) {
  test(`${name}: the page carries exactly the comparison of --json`, async ({ page, openComparison }) => {
    await openComparison(name);
    expect((await dataOfComparison(page)).comparison).toEqual(jsonOf(name));
  });
}

test('every claim stands on a card with its verdict, evidence, guards and remedy', async ({ page, openComparison }) => {
  await openComparison('compare');
  const { claims } = jsonOf('compare');
  const cards = page.locator('#claims .claim');
  await expect(cards).toHaveCount(claims.length);
  for (const claim of claims) {
    const card = cards.filter({ has: page.getByRole('heading', { name: unbroken(claim.statement), exact: true }) }).first();
    await expect(card).toContainText(claim.claim);
    for (const line of claim.evidence) await expect(card).toContainText(unbroken(line));
    for (const guard of claim.guards) await expect(card).toContainText(unbroken(guard.limit));
    if (claim.settle !== null) await expect(card).toContainText(unbroken(claim.settle));
  }
});

test('every run has a mark in the strip plot and a row in its table', async ({ page, openComparison }) => {
  await openComparison('compare');
  const { arms } = jsonOf('compare');
  const runs = arms.flatMap((arm) => arm.runs);
  const strip = page.locator('#strip-throughput_per_s');
  await expect(strip.locator('circle')).toHaveCount(runs.length);
  await strip.locator('summary').click();
  const rows = strip.locator('tbody tr');
  await expect(rows).toHaveCount(runs.length);
  await expect(rows.first()).toContainText(runs[0]!.name);
  await expect(rows.first()).toContainText(rate(runs[0]!.figures.throughput_per_s!));
  // A higher value stands further to the right.
  const places = await strip.locator('circle').evaluateAll((circles) => circles.map((one) => one.getBoundingClientRect().left));
  const values = runs.map((run) => run.figures.throughput_per_s!);
  const order = (list: number[]) => list.map((_, i) => i).sort((a, b) => list[a]! - list[b]!);
  expect(order(places)).toEqual(order(values));
});

test('the courses can be aligned by the first eviction, and their table follows', async ({ page, openComparison }) => {
  await openComparison('compare');
  const panel = page.locator('#course-throughput_per_s');
  await expect(panel.locator('canvas')).toBeVisible();
  const button = page.getByRole('button', { name: 'by first eviction' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  await panel.locator('summary').click();
  await expect(panel.locator('tbody tr').first()).toContainText('−');
});

test('the limits stand at the end', async ({ page, openComparison }) => {
  await openComparison('compare');
  const { stops } = jsonOf('compare');
  await expect(page.locator('#stops li')).toHaveText(stops.map(unbroken));
});

test('an invalid comparison makes no claim and says why', async ({ page, openComparison }) => {
  await openComparison('compare-invalid');
  await expect(page.locator('h1')).toHaveText('These runs may not be compared');
  await expect(page.locator('#contract')).toContainText('incomplete');
  await expect(page.locator('.claim')).toHaveCount(0);
  await expect(page.locator('#courses canvas').first()).toBeVisible();
});

test('against a baseline the verdicts stand first, with what cannot be told', async ({ page, openComparison }) => {
  await openComparison('compare-baseline');
  const { baseline } = jsonOf('compare-baseline');
  await expect(page.locator('#baseline li')).toHaveCount(baseline!.figures.length);
  await expect(page.locator('#baseline')).toContainText(unbroken(baseline!.figures[0]!.sentence));
});

test('expectations that are not met name the runs', async ({ page, openComparison }) => {
  await openComparison('compare');
  await expect(page.locator('#expectations')).toContainText('evictions == 0: met by 0 of 10\u00a0runs');
  await expect(page.locator('#expectations')).toContainText('run-0.run: evictions == 0: it is');
});

test('markup in names is text', async ({ page, openComparison }) => {
  await openComparison('compare-hostile');
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page.locator('.arms')).toContainText('<img src=x onerror=alert(1)>');
});

test('a narrow screen scrolls only what is wide', async ({ page, openComparison }) => {
  await page.setViewportSize({ width: 360, height: 720 });
  await openComparison('compare');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
});

test('every chart has a description and a table', async ({ page, openComparison }) => {
  await openComparison('compare');
  for (const figure of await page.locator('figure').all()) {
    await expect(figure.locator('[role=img]').first()).toHaveAttribute('aria-label', /.+/);
    await expect(figure.locator('details')).not.toHaveCount(0);
  }
});
