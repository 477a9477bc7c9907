import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/** Tests of the page: each drives a real Chromium against a real server. The page is built before them. */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    include: ['apps/web/test/**/*.page.test.ts'],
    globalSetup: ['apps/web/test/build-page.ts'],
    maxWorkers: 1,
    reporters: ['default', './test/stall-reporter.ts'],
    // A browser, a server and a machine that others use: what fails once is tried once more, and the report says so.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
