import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/** `npm run test:dist`: the packages as they are built, tried by their doors. Everything else runs from source. */
const isBuilt = process.env.ARGOT_DIST !== undefined
const source = isBuilt ? [] : ['@argot/source']
const all = ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts']
/** Tests that import packages by name only: every door, and something done with each package. */
const doors = [
  'test/{pack,examples,public-names}.test.ts',
  'packages/core/test/{stream/accumulate,syntax/xml,chatmd/fixtures,convert/convert,ai-sdk/to-response}.test.ts',
  'packages/agent/test/{loop/loop,run/output-schema,tool/define-tool}.test.ts',
  'packages/server/test/{runs,guard}.test.ts',
  'packages/react/test/store/chat-store.test.ts',
]

const elsewhere = ['**/node_modules/**', '**/*.browser.test.*', '**/*.page.test.*']
/** Each has a process of its own, because it changes what others in the process would see. */
const alone = ['packages/server/test/network/idle-proxy.test.ts', 'packages/agent/test/safety/sandbox.test.ts']

/**
 * Tests import packages by name and run from source. Files of tests share two processes, so that the source is loaded once
 * for all of them. Those that need a browser are in vitest.browser.config.ts.
 */
export default defineConfig({
  resolve: { conditions: [...source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [...source, ...defaultServerConditions] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: isBuilt ? doors : all,
          exclude: [...elsewhere, ...alone],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: isBuilt ? [] : alone, exclude: elsewhere } },
    ],
    globalSetup: ['test/bundle-folder.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    maxWorkers: 2,
    reporters: ['default', './test/stall-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
