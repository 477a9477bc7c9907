import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build } from 'vite'
import type { TestProject } from 'vitest/node'
import { otherName } from './other-name.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser of all tests is. */
    browser: string
  }
}

/** Builds the page as users get it, with the React of production, and starts the browser that all tests use. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    // In this order: the page's build empties the folder that the playground is built into.
    for (const app of ['..', '../../playground']) {
      await build({ root: fileURLToPath(new URL(app, import.meta.url)), logLevel: 'error' })
    }
  } finally {
    process.env.NODE_ENV = before
  }
  const browser = await chromium.launchServer({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      `--host-resolver-rules=MAP ${otherName} 127.0.0.1`,
    ],
  })
  project.provide('browser', browser.wsEndpoint())
  return () => browser.close()
}
