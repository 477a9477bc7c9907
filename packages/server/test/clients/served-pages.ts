import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { onTestFinished } from 'vitest'
import { listen } from '../../src/index.ts'
import type { ServedFolder } from '../served-folder.ts'

const folder = fileURLToPath(new URL('./pages/', import.meta.url))
const bundles = new Map<string, Promise<string>>()

/** A page of the folder `pages` as one script. */
function bundle(name: string): Promise<string> {
  const known = bundles.get(name)
  if (known !== undefined) return known
  const made = build({
    entryPoints: [`${folder}${name}.tsx`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    conditions: ['@argot/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  }).then(({ outputFiles }) => outputFiles[0]!.text)
  bundles.set(name, made)
  return made
}

/** Serves `/NAME.html` for the pages of the folder `pages`, and everything else as the server does, over HTTP/1.1. */
export async function servePages(
  served: Pick<ServedFolder, 'server'>,
  port = 0,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = {
    ...served.server,
    async fetch(request: Request, env?: unknown): Promise<Response> {
      const [, name, type] = /^\/([\w-]+)\.(html|js)$/.exec(new URL(request.url).pathname) ?? []
      if (name === undefined) return served.server.fetch(request, env)
      if (type === 'js') return new Response(await bundle(name), { headers: { 'content-type': 'text/javascript' } })
      const html = `<!doctype html><meta charset="utf-8"><div id="root" style="height:90vh"></div><script type="module" src="/${name}.js"></script>`
      return new Response(html, { headers: { 'content-type': 'text/html' } })
    },
  }
  const { port: taken, close } = await listen(server, { port })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${taken}`, close }
}

/** A name that leads here and that a browser does not take for this machine: its pages are not secure. */
export const otherName = 'argot.test'

let browser: Promise<Browser> | undefined

/** A browser of its own, without what another test left; the process is shared. */
export async function openBrowser(): Promise<BrowserContext> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', `--host-resolver-rules=MAP ${otherName} 127.0.0.1`]
  browser ??= chromium.launch({ executablePath, args })
  const context = await (await browser).newContext()
  onTestFinished(() => context.close())
  return context
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
}

export async function textOf(page: Page): Promise<string> {
  return page.locator('#root').innerText()
}

/** Writes a message and sends it. A composer that still waits for the end of an answer takes none: it is asked again. */
export async function say(page: Page, text: string): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await page.fill('textarea', text)
    await page.press('textarea', 'Enter')
    const sent = page.waitForFunction('document.querySelector("textarea").value === ""', undefined, { timeout: 1000 })
    if (await sent.then(Boolean, () => false)) return
  }
  throw new Error(`The page does not send "${text}".`)
}
