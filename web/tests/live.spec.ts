// A run that goes: the page takes over what its server sends, and ends with it or without it.
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base, expect } from '@playwright/test';
import { rate } from '../src/format';
import { folder, pagePath } from './pages';

/** What the tests' own server has: the page, and the stream that it sends to. */
class Site {
  private readonly server: Server;
  private streams: ServerResponse[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      if (request.url === '/events') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(':\n\n');
        this.streams.push(response);
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(readFileSync(pagePath('live')));
    });
  }
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }
  get viewers(): number {
    return this.streams.length;
  }
  send(name: string, change: (data: string) => string = (data) => data): void {
    const data = change(readFileSync(`${folder()}/live-${name}.json`, 'utf8'));
    for (const stream of this.streams) stream.write(`event: ${name}\ndata: ${data}\n\n`);
  }
  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const test = base.extend<{ site: Site }>({
  site: async ({ page }, use) => {
    const site = new Site();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(await site.start());
    await expect.poll(() => site.viewers).toBe(1);
    await use(site);
    site.stop();
    expect(errors).toEqual([]);
  },
});
test.use({ offline: false });

const strip = '.strip';

test('says that the run goes, and how much is left', async ({ page, site: _ }) => {
  await expect(page.locator(strip)).toContainText(/Running measure, (30|29)\u00a0s left/);
  await expect(page.locator('.facts')).toContainText('running');
});

test('grows in place: charts, figures, and who zoomed stays where he is', async ({ page, site }) => {
  await page.locator('#throughput canvas').evaluate((canvas) => canvas.setAttribute('data-same', ''));
  await page.locator('#over-time').getByRole('button', { name: 'Zoom in' }).click();
  site.send('grown');
  await expect(page.locator('[data-path="measure.completed"]')).toHaveText('1,320,000\u00a0requests');
  await expect(page.locator('#throughput canvas[data-same]')).toHaveCount(1);
  await expect(page.locator('#over-time').getByRole('button', { name: 'Show the whole run' })).toBeEnabled();
  await page.locator('#throughput summary').click();
  await expect(page.locator('#throughput details tbody tr')).toHaveCount(20);
});

test('ends with the whole of the run', async ({ page, site }) => {
  site.send('last');
  await expect(page.locator(strip)).toContainText('The run has ended complete; sealed');
  await expect(page.locator('h1')).toHaveText('Full after 20.5\u00a0s: evictions began');
  await expect(page.locator('.figures')).toContainText(rate(66_000));
});

test('says so when its server dies, and keeps what came', async ({ page, site }) => {
  site.send('grown');
  await expect(page.locator('[data-path="measure.completed"]')).toHaveText('1,320,000\u00a0requests');
  site.stop();
  await expect(page.locator(strip)).toContainText('The run is out of sight', { timeout: 60_000 });
  await expect(page.locator('#throughput canvas')).toHaveCount(1);
});

test('takes nothing of another run under the same address', async ({ page, site }) => {
  site.send('grown', (data) => data.replace(/"run_id":"[^"]*"/, '"run_id":"another"'));
  await expect(page.locator(strip)).toContainText('Another one is served here now');
});
