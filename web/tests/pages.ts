// The pages that are tested, and what every test wants of one: opened from disk, without a network,
// and without a word on the console.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import type { ComparedReport } from '../src/compare-data';
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
  'stall',
  'hour',
] as const;
export type Name = (typeof kNames)[number];

/** Pages that are not of one run. */
export type Other = 'group' | 'catalogue' | 'live';

export function folder(): string {
  return kFolder;
}

export function pagePath(name: Name | Other): string {
  return `${kFolder}/${name}.html`;
}

/** What `headroom report --json` says of the same run. */
export function summaryOf(name: Name): Summary {
  return JSON.parse(readFileSync(`${kFolder}/${name}.json`, 'utf8')) as Summary;
}

export async function dataOf(page: Page): Promise<Report> {
  return JSON.parse((await page.locator('#headroom-data').textContent())!) as Report;
}

export function comparisonPath(name: string): string {
  return `${kFolder}/${name}.html`;
}

export async function dataOfComparison(page: Page): Promise<ComparedReport> {
  return JSON.parse((await page.locator('#headroom-data').textContent())!) as ComparedReport;
}

/** Runs `use` with a way to open a file, and wants silence on the console and no network. */
async function watched(page: Page, use: (open: (file: string) => Promise<void>) => Promise<void>): Promise<void> {
  const said: string[] = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) said.push(`request: ${request.url()}`);
  });
  await use(async (file) => {
    await page.goto(`file://${file}`);
    await expect(page.locator('h1')).toBeVisible();
  });
  expect(said).toEqual([]);
}

interface Opened {
  open: (name: Name | Other) => Promise<void>;
  openComparison: (name: string) => Promise<void>;
}

export const test = base.extend<Opened>({
  open: ({ page }, use) => watched(page, (open) => use((name) => open(pagePath(name)))),
  openComparison: ({ page }, use) => watched(page, (open) => use((name) => open(comparisonPath(name)))),
});
export { expect };
