import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

const elsewhere = ['**/node_modules/**', '**/*.browser.test.*', '**/*.page.test.*']
/** Each has a process of its own, because it changes what others in the process would see. */
const alone = ['packages/server/test/network/idle-proxy.test.ts', 'packages/agent/test/safety/sandbox.test.ts']

/**
 * Tests import packages by name and run from source. Files of tests share two processes, so that the source is loaded once
 * for all of them. Those that need a browser are in vitest.browser.config.ts.
 */
export default defineConfig({
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['@argot/source', ...defaultServerConditions] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...elsewhere, ...alone],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: elsewhere } },
    ],
    globalSetup: ['test/bundle-folder.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    maxWorkers: 2,
    reporters: ['default', './test/stall-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
