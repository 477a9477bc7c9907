import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import SlowFirst from './test/slow-first.ts'

/** Tests of the page and the playground: each drives a real Chromium against a real server. Both are built before them. */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    include: ['apps/*/test/**/*.page.test.ts', 'packages/react/test/**/*.page.test.ts'],
    globalSetup: ['test/run-folders.ts', 'apps/web/test/build-page.ts'],
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // The tests share a browser, and what they are made of: each has a server, a folder and a window of its own.
    isolate: false,
    reporters: ['default', './test/stall-reporter.ts'],
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
