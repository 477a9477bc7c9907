import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defaultClientConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { answerAgent, startAgent } from './packages/react/test/agent/agent-command.ts'
import { browserDoors } from './test/doors.ts'
import SlowFirst from './test/slow-first.ts'

/** What Debian calls it; another one is named by CHROMIUM. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** How many times slower the browser is than the machine; see test/slow.ts of packages/react. */
const slow = process.env.SLOW

/** Where `ai` 7 is, for `npm run test:node24`. */
const ai7 = process.env.ARGOT_AI7

/**
 * Bundled before a run: every file of tests has a page of its own, which would load the 400 modules of the packages again.
 * While tests are watched they are loaded one by one, so that a change is seen.
 */
const bundled = process.argv.includes('run') ? browserDoors : []

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Tests that run inside a real Chromium, from source: `*.browser.test.tsx`. */
export default defineConfig({
  plugins: [react()],
  resolve: {
    conditions: ['@argot/source', ...defaultClientConditions],
    alias:
      ai7 === undefined ? {} : { ai: `${ai7}/node_modules/ai`, '@ai-sdk/react': `${ai7}/node_modules/@ai-sdk/react` },
    dedupe: ['react', 'react-dom'],
  },
  // What is found while tests run is bundled then, and the page is loaded again in the middle of a test.
  optimizeDeps: {
    // A bundle is not made again by itself when its sources change.
    force: bundled.length > 0,
    include: [
      ...bundled,
      'react',
      'react-dom',
      'react-dom/client',
      'react/jsx-runtime',
      'react/jsx-dev-runtime',
      'virtua',
      'markdown-to-jsx/react',
      'remend',
      'axe-core',
      '@testing-library/react',
      '@mui/x-chat',
      '@mui/x-chat/headless',
      '@ai-sdk/react',
      'ai',
    ],
  },
  test: {
    include: ['packages/*/test/**/*.browser.test.tsx', 'apps/*/test/**/*.browser.test.tsx'],
    globalSetup: ['test/run-folders.ts'],
    setupFiles: slow === undefined ? [] : ['packages/react/test/slow.ts'],
    env: slow === undefined ? {} : { VITE_SLOW: slow },
    // Most of what these tests do is waiting for a frame or for a state.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', './test/stall-reporter.ts'],
    testTimeout: 60_000,
    // What is loaded when it is needed takes its time on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    browser: {
      enabled: true,
      headless: true,
      ui: false,
      screenshotFailures: false,
      // Runs of the agent, for tests of what a browser shows of them.
      commands: { startAgent, answerAgent },
      viewport: { width: 1000, height: 800 },
      provider: playwright({ launchOptions: { executablePath, args } }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
