import { chromium } from '@playwright/test';
const [folder, out, ...names] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const name of names) {
  for (const [size, width, height] of [['desktop', 1280, 900], ['phone', 360, 740]]) {
    for (const colorScheme of ['light', 'dark']) {
      if (colorScheme === 'dark' && size === 'phone' && !process.env.ALL) continue;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const url = name.startsWith('http') ? name : `file://${folder}/${name}.html`;
      await page.goto(url);
      await page.waitForTimeout(700);
      await page.screenshot({ path: `${out}/${name.replace(/[^a-z0-9]+/gi, '_')}-${size}-${colorScheme}.png`, fullPage: true });
      await page.close();
    }
  }
}
await browser.close();
