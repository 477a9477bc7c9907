import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/** Tests import packages by name and run from source. Those that need a browser are in vitest.browser.config.ts. */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    include: ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.browser.test.*', '**/*.page.test.*'],
    setupFiles: ['test/fixed-seed.ts'],
    maxWorkers: 2,
    reporters: ['default', './test/stall-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
