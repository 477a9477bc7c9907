import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import { build, preview } from 'vite'

const gallery = new URL('../apps/gallery', import.meta.url).pathname

/** Builds and serves the gallery, and passes its address and a Chromium to `use`. Closes both afterwards. */
export async function withGallery(use: (browser: Browser, address: string) => Promise<void>): Promise<void> {
  const config = { root: gallery, configFile: join(gallery, 'vite.config.ts'), logLevel: 'warn' } as const
  await build(config)
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
  try {
    await use(browser, server.resolvedUrls?.local[0] ?? 'http://127.0.0.1:4173/')
  } finally {
    await browser.close()
    await server.close()
  }
}
