import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/** Tests import packages by name and run from source. */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    include: ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
  },
})
