import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderStore } from '@argot/agent'
import { type ArgotServer, createServer, listen, type ServerOptions } from '@argot/server'
import type { Listening } from '@argot/server/internal'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { inject, onTestFinished } from 'vitest'

const page = fileURLToPath(new URL('../../../packages/server/page', import.meta.url))
const sample = fileURLToPath(new URL('../../../samples/start', import.meta.url))

let browser: Promise<Browser> | undefined

function openBrowser(): Promise<Browser> {
  browser ??= chromium.connect(inject('browser'))
  return browser
}

/** With `SLOW=8` the tab is as slow as on a machine with an eighth of the speed. */
async function slowDown(tab: Page): Promise<void> {
  const rate = Number(process.env.SLOW ?? 1)
  if (rate === 1) return
  const session = await tab.context().newCDPSession(tab)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}

export interface Served {
  folder: string
  url: string
  server: ArgotServer
  /** A tab at this address, in a window of its own; what goes wrong in it, and any request elsewhere, fails the test. `before` runs in the page first. */
  open(path?: string, options?: BrowserContextOptions, before?: () => void): Promise<Page>
  /** The same for somebody who has never been here: the source is closed. */
  visit(path?: string, options?: BrowserContextOptions): Promise<Page>
  /** The server leaves, and another one comes at the same address. */
  restart(): Promise<void>
}

/** Somebody who has opened the source before. */
function openSource(): void {
  try {
    const name = 'argot page source'
    if (localStorage.getItem(name) === null) localStorage.setItem(name, 'true')
  } catch {
    // An empty page has no storage.
  }
}

/** The sample folder, served with the demo model as `npm start` does it. */
export async function serveSample(options: Partial<ServerOptions> = {}): Promise<Served> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-page-')))
  const docs = join(folder, 'docs')
  await cp(sample, docs, { recursive: true })
  const start = (): ArgotServer =>
    createServer({
      store: folderStore(docs, { key: Buffer.alloc(32, 5) }),
      stateFolder: join(folder, 'state'),
      page,
      ...options,
      run: { env: {}, cwd: docs, configFolder: join(folder, 'config'), ...options.run },
    })
  let server = start()
  let listening: Listening = await listen(server, { port: 0 })
  const { port } = listening
  const url = `http://127.0.0.1:${port}/`
  const stop = async (): Promise<void> => {
    const closing = server.close()
    await listening.close()
    await closing
  }
  onTestFinished(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    folder: docs,
    url,
    get server() {
      return server
    },
    visit: (path = '', context = {}) => openTab(path, context, () => {}),
    open: (path = '', context = {}, before = () => {}) => openTab(path, context, before, openSource),
    async restart() {
      await stop()
      server = start()
      listening = await listen(server, { port })
    },
  }

  async function openTab(
    path: string,
    context: BrowserContextOptions,
    ...scripts: readonly (() => void)[]
  ): Promise<Page> {
    const address = new URL(path, url).href
    const window = await (await openBrowser()).newContext({ viewport: { width: 1440, height: 900 }, ...context })
    const tab = await window.newPage()
    const problems: string[] = []
    tab.on('pageerror', error => problems.push(String(error)))
    tab.on('console', message => {
      const isExpected = /Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE/.test(message.text())
      if (message.type() === 'error' && !isExpected) problems.push(message.text())
    })
    tab.on('request', request => {
      const { origin, protocol } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== new URL(address).origin) problems.push(`asks ${origin}`)
    })
    onTestFinished(async () => {
      await window.close()
      if (problems.length > 0) throw new Error(`The page has problems:\n${problems.join('\n')}`)
    })
    for (const script of scripts) await tab.addInitScript(script)
    await slowDown(tab)
    await tab.goto(address)
    return tab
  }
}
