import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { type Browser, chromium } from 'playwright'
import { build } from 'vite'

/**
 * What a folder of 100, 1 000 and 10 000 documents costs: the page until its list is painted, and the server.
 *
 *     npm run bench:documents
 *
 * It fails if the page's thread works more than 300 ms until the list of the largest folder is painted.
 */
const root = new URL('../..', import.meta.url).pathname
const sizes = [100, 1000, 10_000]
const most = 300
const rounds = 5

/** Twenty folders, with conversations of a few kilobytes. */
async function fill(folder: string, size: number): Promise<void> {
  for (let index = 0; index < size; index++) {
    const place = join(folder, index % 20 === 0 ? '' : `folder-${index % 20}`)
    await mkdir(place, { recursive: true })
    const answer = `Plan ${index} has ${index % 97} parts. ${'These are the words of an answer. '.repeat(60)}`
    const text = `<config model="demo"/>\n<tool name="read_file"/>\n\n<user>\nPlan number ${index}\n</user>\n\n<assistant>\n${answer}\n</assistant>\n`
    await writeFile(join(place, `plan-${String(index).padStart(5, '0')}.chatmd`), text)
  }
}

/** The CPU time of this process, in milliseconds. */
async function cpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

interface Opened {
  /** When the first rows of the list were painted, in milliseconds after the navigation began. */
  painted: number
  /** How long the page's thread had worked by then. */
  worked: number
}

/** Notes when the first row of the list is on the screen. As text: what the compiler adds to a function is not in the page. */
const watchRows = `
  requestAnimationFrame(function look() {
    if (document.querySelector('.documents .row') === null) return requestAnimationFrame(look)
    requestAnimationFrame(() => setTimeout(() => { window.listPainted = performance.now() }))
  })
`

async function open(browser: Browser, url: string): Promise<Opened> {
  const window = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await window.newPage()
    const session = await window.newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.addInitScript({ content: watchRows })
    await page.goto(url)
    const look = (): Promise<number | undefined> =>
      page.evaluate(() => (globalThis as { listPainted?: number }).listPainted)
    let painted: number | undefined
    while ((painted = await look()) === undefined) await page.waitForTimeout(10)
    const { metrics } = await session.send('Performance.getMetrics')
    const worked = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
    // The rest of the list comes in the background.
    await page.getByText(/^[\d,]+ documents$/).waitFor()
    await page.waitForTimeout(1500)
    return { painted, worked }
  } finally {
    await window.close()
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

process.env.NODE_ENV = 'production'
await build({ root: join(root, 'apps/web'), logLevel: 'warn' })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
const rows: string[] = []
let isKept = true
try {
  for (const size of sizes) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-bench-documents-')))
    const docs = join(folder, 'docs')
    await fill(docs, size)
    const server = createServer({
      store: folderStore(docs, { key: Buffer.alloc(32, 5) }),
      stateFolder: join(folder, 'state'),
      page: join(root, 'packages/server/page'),
      run: { env: {}, cwd: docs, configFolder: join(folder, 'config') },
    })
    const listening = await listen(server, { port: 0 })
    const url = `http://127.0.0.1:${listening.port}/`
    const get = async (path: string): Promise<unknown> => (await fetch(`${url}api/${path}`)).text()
    try {
      const first = await cpu(() => get('documents?limit=100'))
      const again = await cpu(() => get('documents?limit=100'))
      const opened: Opened[] = []
      for (let round = 0; round < rounds; round++) opened.push(await open(browser, url))
      const index = await cpu(() => get('search?q=number+7'))
      const search = await cpu(() => get('search?q=number+9'))
      const idle = (await cpu(() => new Promise(resolve => setTimeout(resolve, 5000)))) / 5
      const painted = median(opened.map(one => one.painted))
      const worked = median(opened.map(one => one.worked))
      const cells = [size, painted, worked, first, again, index, search, idle].map(one => String(Math.round(one)))
      rows.push(`| ${cells.join(' | ')} |`)
      if (size === sizes.at(-1) && worked > most) isKept = false
    } finally {
      await listening.close()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
} finally {
  await browser.close()
}
console.log(
  '| documents | list painted, ms | page CPU until then | first page, server CPU | again | first search | next search | idle CPU, ms a second |',
)
console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
for (const row of rows) console.log(row)
if (!isKept) console.error(`The page works more than ${most} ms until the list is painted.`)
process.exitCode = isKept ? 0 : 1
