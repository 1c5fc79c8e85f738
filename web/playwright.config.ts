import { defineConfig } from '@playwright/test';

// The pages are files on disk, made by tests/pages/sample_pages.cc; scripts/web says where they are.
export default defineConfig({
  testDir: 'tests',
  outputDir: '../build/web/results',
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 900 },
    offline: true,
    launchOptions: {
      executablePath: process.env.HEADROOM_CHROMIUM ?? '/usr/bin/chromium',
      // Chromium's own sandbox cannot be set up by root; the pages are ours.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
