import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/** Tests of the page: each drives a real Chromium against a real server. The page is built before them. */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    include: ['apps/web/test/**/*.page.test.ts'],
    globalSetup: ['test/run-folders.ts', 'apps/web/test/build-page.ts'],
    maxWorkers: 2,
    // The tests share a browser, and what they are made of: each has a server, a folder and a window of its own.
    isolate: false,
    reporters: ['default', './test/stall-reporter.ts'],
    // On a machine of CI what fails once is tried again, and the report says so; here it fails.
    retry: process.env.CI === undefined ? 0 : 1,
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
