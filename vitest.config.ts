import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { doorTests } from './test/doors.ts'
import SlowFirst from './test/slow-first.ts'

/** Which tests run: all by default; `unit`, `source` and `dist` are those of `npm run test:unit`, `npm test` and `npm run test:dist`. */
const which = process.env.ARGOT_TESTS ?? 'all'
/** Packages are imported by name, as source or as they are built. */
const source = which === 'dist' ? [] : ['@argot/source']
const all = ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts']
/** What `npm run test:dist` tries, which `npm test` runs after these. */
const built = ['test/{pack,examples,pages,site}.test.ts']
/** Processes, crashes, attacks, laws and guards. */
const slow = [
  '**/*.law.test.*',
  '**/conformance/**',
  'packages/agent/test/{crash,safety,transcript,web,model}/**',
  'packages/{cli,server}/test/**',
  'test/**',
]
const skipped = which === 'unit' ? slow : which === 'source' ? built : []

const elsewhere = ['**/node_modules/**', '**/*.browser.test.*', '**/*.page.test.*', ...skipped]
/** Each has a process of its own, because it changes what others in the process would see. */
const alone = [
  'packages/server/test/network/idle-proxy.test.ts',
  'packages/agent/test/safety/sandbox.test.ts',
  // Counting calls makes V8 forget all that it has optimized.
  'packages/agent/test/run/read-once.test.ts',
  // A build by Vite sets NODE_ENV, by which React chooses what it is.
  'packages/react/test/size.test.ts',
]

/**
 * Tests import packages by name and run from source. Files of tests share five processes, so that the source is loaded once
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
          include: which === 'dist' ? [...doorTests] : all,
          exclude: [...elsewhere, ...alone],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: which === 'dist' ? [] : alone, exclude: elsewhere } },
    ],
    globalSetup: ['test/run-folders.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    // Five on two cores: more than half of what tests do is waiting, for processes, servers and the disk.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', './test/stall-reporter.ts'],
    // Longer than anything takes on the busiest machine.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
