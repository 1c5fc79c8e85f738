// What the page says: the figures of --json, the words of the run, and nothing that a run file could
// smuggle in.
import { statSync } from 'node:fs';
import { bytes, decimal, duration, orNotAvailable, percent, quantileName, rate, unbroken } from '../src/format';
import { dataOf, expect, kNames, pagePath, summaryOf, test } from './pages';

for (const name of kNames) {
  test(`${name}: the page carries exactly the summary of --json`, async ({ page, open }) => {
    await open(name);
    expect((await dataOf(page)).summary).toEqual(summaryOf(name));
  });

  test(`${name}: the headline stands first and is the title`, async ({ page, open }) => {
    await open(name);
    const { words, summary } = await dataOf(page);
    await expect(page.locator('h1')).toHaveText(unbroken(words.headline));
    await expect(page).toHaveTitle(`${summary.run.scenario}: ${words.headline}`);
  });
}

test('figures are those of the summary, with their unit', async ({ page, open }) => {
  await open('boundary');
  const { measure, memory, generator } = summaryOf('boundary');
  const shown = (path: string) => page.locator(`#numbers [data-path="${path}"]`);
  await expect(shown('measure.throughput_per_s')).toHaveText(rate(measure.throughput_per_s!));
  await expect(shown('measure.hit_ratio_client')).toHaveText(percent(measure.hit_ratio_client!));
  await expect(shown('memory.used_max_bytes')).toHaveText(bytes(memory.used_max_bytes!));
  await expect(shown('memory.fragmentation_ratio')).toHaveText(decimal(memory.fragmentation_ratio!));
  await expect(shown('generator.host_cpu_busy_ratio')).toHaveText(percent(generator.host_cpu_busy_ratio!));
});

test('every figure of the summary is named with its unit or as n/a', async ({ page, open }) => {
  for (const name of ['boundary', 'incomplete'] as const) {
    await open(name);
    for (const text of await page.locator('#numbers [data-path]').allTextContents())
      expect(text).toMatch(/^(n\/a|-?[<\d][\d.,]*\u00a0(%|\/s|[KMGT]?i?B|ns|us|ms|s|min|keys?|requests?|slots?)|\d+\.\d\d|unlimited)$/);
  }
});

test('what is not known says why', async ({ page, open }) => {
  await open('boundary');
  const row = page.locator('tr', { has: page.locator('[data-path="measure.peak_minute_throughput_per_s"]') });
  await expect(row).toContainText('n/a');
  await expect(row).toContainText('no full minute in the window');
});

test('the latency table has every row of the summary', async ({ page, open }) => {
  await open('rejecting');
  const { latencies } = summaryOf('rejecting').measure;
  const rows = page.locator('#latency-table tbody tr');
  await expect(rows).toHaveCount(latencies.length);
  const cells = await rows.first().locator('td').allTextContents();
  expect(cells[2]).toBe(orNotAvailable(latencies[0]!.p50_ns, duration));
  expect(cells[4]).toBe(orNotAvailable(latencies[0]!.p99_ns, duration));
  await expect(page.locator('#latency')).toContainText('SET rejected');
});

test('an open loop shows first what users wait, and the schedule', async ({ page, open }) => {
  await open('stall');
  const { measure, schedule } = summaryOf('stall');
  const all = (from: string) => measure.latencies.find((row) => row.operation === 'all' && row.from === from)!;
  const key = page.locator('.figures div', { hasText: 'Response, p99' });
  await expect(key.locator('.big')).toHaveText(duration(all('intended').p99_ns!));
  await expect(key).toContainText(`service alone ${duration(all('send').p99_ns!)}`);
  await expect(page.locator('#latency-over-time .panel-title')).toContainText('Response latency');
  await expect(page.locator('#throughput .legend')).toContainText('asked');
  const names = await page.locator('#latency-table tbody th').allTextContents();
  expect(names.slice(0, 2)).toEqual(['all', 'service']);
  await expect(page.locator('#schedule-lag canvas')).toHaveCount(1);
  await expect(page.locator('#backlog canvas')).toHaveCount(1);
  await expect(page.locator('[data-path="schedule.asked_per_s"]')).toHaveText(rate(schedule!.asked_per_s));
});

test('the slowest requests stand in order, with when they were', async ({ page, open }) => {
  await open('boundary');
  const { slowest } = await dataOf(page);
  const rows = page.locator('#slowest tbody tr');
  await expect(rows).toHaveCount(slowest.length);
  await expect(rows.first().locator('th')).toHaveText(duration(slowest[0]!.ns));
  await expect(rows.first()).toContainText(slowest[0]!.operation);
});

test('the generator says how unequal its workers were', async ({ page, open }) => {
  await open('boundary');
  await expect(page.locator('#generator')).toContainText(
    `throughput differs by ${percent(summaryOf('boundary').generator.worker_skew_ratio!)}`,
  );
});

test('a boundary run stands beside itself before and after the first eviction', async ({ page, open }) => {
  await open('boundary');
  const { before_first_eviction: before, after_first_eviction: after } = summaryOf('boundary');
  const figures = page.locator('.figures');
  await expect(figures).toContainText(`${rate(before!.throughput_per_s!)} → ${rate(after!.throughput_per_s!)}`);
  await expect(page.locator('.moments')).toContainText('20.5\u00a0s first eviction');
});

test('stages and loads have tables of their own, and stages are named on the bar', async ({ page, open }) => {
  await open('several-loads');
  const { stages, loads } = summaryOf('several-loads');
  const parts = page.locator('#parts');
  for (const { summary } of stages) {
    await expect(parts).toContainText(summary.window.name);
    await expect(parts).toContainText(rate(summary.throughput_per_s!));
  }
  for (const load of loads) await expect(parts).toContainText(rate(load.throughput_per_s!));
  await expect(page.locator('.phase.stage').first()).toHaveText('burst');
  await open('boundary');
  await expect(page.locator('#parts')).toHaveCount(0);
});

test('a run that measured nothing shows how it ended and no chart', async ({ page, open }) => {
  await open('empty');
  await expect(page.locator('h1')).toHaveText('Nothing was measured');
  await expect(page.locator('.facts')).toContainText('Bad directive');
  await expect(page.locator('.uplot')).toHaveCount(0);
});

test('a run that died says what it may have left behind', async ({ page, open }) => {
  await open('incomplete');
  await expect(page.locator('.facts')).toContainText('INCOMPLETE: never finished');
  await expect(page.locator('#reproduce')).toContainText('ps -p 4711');
});

test('markup in a run file is text', async ({ page, open }) => {
  await open('hostile');
  await expect(page).not.toHaveTitle('owned');
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page.locator('script')).toHaveCount(2);
  await expect(page.locator('.scenario')).toContainText("</script><script>document.title='owned'");
  await expect(page.locator('#reproduce pre').last()).toContainText('<img src=x onerror=alert(1)>&amp;');
});

test('the policy of the page runs nothing but its own program', async ({ page }) => {
  await page.goto(`file://${pagePath('boundary')}`);
  const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'));
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "owned"';
    document.body.append(script);
  });
  await refused;
  await expect(page).not.toHaveTitle('owned');
});

test('an hour with nine workers stays below a megabyte', () => {
  expect(statSync(pagePath('hour')).size).toBeLessThan(1_000_000);
});

test('percentiles are named as people name them', () => {
  expect([2, 10, 100, 1000, 10_000, 1_000_000].map(quantileName)).toEqual([
    'p50',
    'p90',
    'p99',
    'p99.9',
    'p99.99',
    'p99.9999',
  ]);
});

test('numbers are written as in the terminal', () => {
  const tidy = (text: string) => text.replace(/\u00a0/g, ' ');
  expect([350, 1_230, 152_000, 6_399_000, 999_999, 3_600e9].map(duration).map(tidy)).toEqual([
    '350 ns',
    '1.23 us',
    '152 us',
    '6.40 ms',
    '1.00 ms',
    '1.00 h',
  ]);
  expect([0, 0.00004, 0.0042, 0.973, 0.99999, 1].map(percent).map(tidy)).toEqual([
    '0 %',
    '<0.01 %',
    '0.42 %',
    '97.3 %',
    '99.9 %',
    '100 %',
  ]);
  expect([0, 42.25, 48_912.4].map(rate).map(tidy)).toEqual(['0 /s', '42.3 /s', '48,912 /s']);
  expect([0, 1023, 19_398_656].map(bytes).map(tidy)).toEqual(['0 B', '1023 B', '18.5 MiB']);
});
