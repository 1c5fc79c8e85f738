// The pages that are tested, and what every test wants of one: opened from disk, without a network,
// and without a word on the console.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import type { Report, Summary } from '../src/data';

const kFolder = resolve(process.env.HEADROOM_PAGES ?? '../build/web/pages');

export const kNames = [
  'boundary',
  'headroom',
  'saturated',
  'rejecting',
  'incomplete',
  'empty',
  'hostile',
  'several-loads',
  'hour',
] as const;
export type Name = (typeof kNames)[number];

export function pagePath(name: Name): string {
  return `${kFolder}/${name}.html`;
}

/** What `headroom report --json` says of the same run. */
export function summaryOf(name: Name): Summary {
  return JSON.parse(readFileSync(`${kFolder}/${name}.json`, 'utf8')) as Summary;
}

export async function dataOf(page: Page): Promise<Report> {
  return JSON.parse((await page.locator('#headroom-data').textContent())!) as Report;
}

export const test = base.extend<{ open: (name: Name) => Promise<void> }>({
  open: async ({ page }, use) => {
    const said: string[] = [];
    page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => said.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) said.push(`request: ${request.url()}`);
    });
    await use(async (name) => {
      await page.goto(`file://${pagePath(name)}`);
      await expect(page.locator('h1')).toBeVisible();
    });
    expect(said).toEqual([]);
  },
});
export { expect };
