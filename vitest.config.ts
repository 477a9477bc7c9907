import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

const all = ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts']
/** Tests of functions alone, which leave nothing behind: they share a process, so that the source is loaded once for all. */
const pure = ['packages/{core,react}/test/**/*.test.{ts,tsx}']
const elsewhere = ['**/node_modules/**', '**/*.browser.test.*', '**/*.page.test.*']

/** Tests import packages by name and run from source. Those that need a browser are in vitest.browser.config.ts. */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    projects: [
      { extends: true, test: { name: 'pure', include: pure, exclude: elsewhere, isolate: false } },
      { extends: true, test: { name: 'rest', include: all, exclude: [...elsewhere, ...pure] } },
    ],
    setupFiles: ['test/fixed-seed.ts'],
    maxWorkers: 2,
    reporters: ['default', './test/stall-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
