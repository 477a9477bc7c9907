import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import react from '@vitejs/plugin-react'
import { type Browser, chromium } from 'playwright'
import { build, defaultClientConditions, preview } from 'vite'

const help = `Measures @argot/react in Chromium beside its peers: production builds, main-thread CPU time, chunks from a worker.

  npm run bench:ui                       every chat, text and tool arguments, 0, 200 and 1 000 messages; ten minutes
  npm run bench:ui -- argot sketch       some chats: argot, sketch (written by hand), mui, assistant-ui, ai-sdk
  npm run bench:ui -- argot --kind text --messages 0,1000
  npm run bench:ui -- argot --kind big   an argument of 1 MB into an open card (ours only, unless asked for)

On a busy machine a case of ours that breaks a promise is measured again, up to three times; the best counts.
Exit status: 0 every promise of ours held, 1 one did not, 2 wrong usage.`

const chats = ['argot', 'sketch', 'mui', 'assistant-ui', 'ai-sdk']
const tokens: Readonly<Record<string, number>> = { text: 200, tool: 200, big: 1000 }
const tries = 3
/** A chat that takes longer than this is given up. */
const patience = 60_000

interface Figures {
  /** Milliseconds of the main thread until the history is on the page. */
  mount: number
  /** Milliseconds of script and of layout for a token. */
  token: number
  layout: number
  /** What the browser counts as unexpected movement while it streams. */
  shift: number
  /** The slowest key press, and the longest task while it streamed. */
  key: number
  longest: number
}

async function measure(browser: Browser, address: string, kind: string): Promise<Figures | undefined> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(patience)
    const cdp = await context.newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    const read = async (name: string): Promise<number> => {
      const { metrics } = await cdp.send('Performance.getMetrics')
      return (metrics.find(one => one.name === name)?.value ?? 0) * 1000
    }
    await page.goto(address)
    await page.waitForFunction(() => typeof window.begin === 'function')
    const before = await read('TaskDuration')
    await page.evaluate(() => window.begin())
    const mount = (await read('TaskDuration')) - before
    await page.locator('textarea, [contenteditable="true"]').first().focus()
    await page.keyboard.type('go')
    await page.waitForTimeout(300)
    const script = await read('ScriptDuration')
    const layoutBefore = await read('LayoutDuration')
    await page.keyboard.press('Enter')
    // From here on it only streams: what the first message costs once is not what a token or a key costs.
    await page.waitForTimeout(300)
    await page.evaluate(() => {
      window.shift = 0
      window.longTasks.length = 0
      window.keys.length = 0
    })
    for (const key of 'abc') {
      await page.keyboard.press(key)
      await page.waitForTimeout(150)
    }
    await page.waitForFunction(() => window.isOver, undefined, { polling: 200 })
    const token = ((await read('ScriptDuration')) - script) / (tokens[kind] ?? 1)
    const layout = ((await read('LayoutDuration')) - layoutBefore) / (tokens[kind] ?? 1)
    const { keys, tasks, shift } = await page.evaluate(() => ({
      keys: window.keys,
      tasks: window.longTasks,
      shift: window.shift,
    }))
    return { mount, token, layout, shift, key: Math.max(0, ...keys), longest: Math.max(0, ...tasks) }
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return undefined
    throw error
  } finally {
    await context.close()
  }
}

/** The promises that our component breaks in one case. */
function brokenIn(name: string, figures: Figures | undefined): string[] {
  if (figures === undefined) return [`${name}: did not finish.`]
  const problems: string[] = []
  // A piece of a big argument is 1 kB, and not a token.
  const isToken = !name.includes(' big ')
  if (isToken && figures.token > 0.6)
    problems.push(`${name}: ${figures.token.toFixed(2)} ms of script a token, not 0.6.`)
  if (figures.mount > 300) problems.push(`${name}: ${figures.mount.toFixed(0)} ms to mount, not 300.`)
  if (figures.key > 50) problems.push(`${name}: ${figures.key.toFixed(0)} ms for a key, not 50.`)
  if (isToken && figures.shift > 0.001) problems.push(`${name}: a layout shift of ${figures.shift.toFixed(4)}, not 0.`)
  if (figures.longest > 0) problems.push(`${name}: a task of ${figures.longest.toFixed(0)} ms.`)
  return problems
}

/** What is promised of ours and does not hold, in any case and between them. */
function broken(all: ReadonlyMap<string, Figures | undefined>): string[] {
  const problems = [...all].flatMap(([name, figures]) => (name.startsWith('argot') ? brokenIn(name, figures) : []))
  for (const kind of ['text', 'tool']) {
    const few = all.get(`argot ${kind} 0`)?.token
    const many = all.get(`argot ${kind} 1000`)?.token
    // A tenth of so little is less than the clock of the thread can tell.
    if (few !== undefined && many !== undefined && many > few * 1.1 + 0.05) {
      problems.push(`argot ${kind}: ${many.toFixed(2)} ms a token at 1 000 messages, ${few.toFixed(2)} at none.`)
    }
  }
  for (const count of ['0', '200', '1000']) {
    const [ours, sketch] = ['argot', 'sketch'].map(name => all.get(`${name} text ${count}`)?.token)
    if (ours !== undefined && sketch !== undefined && ours > sketch * 1.2 + 0.05) {
      problems.push(
        `argot text ${count}: ${ours.toFixed(2)} ms a token, ${sketch.toFixed(2)} in the sketch, not 1.2 times as much.`,
      )
    }
  }
  return problems
}

/** A case of ours is measured again where a promise is broken: another program may have had the processor. */
async function best(name: string, measured: () => Promise<Figures | undefined>): Promise<Figures | undefined> {
  let figures = await measured()
  for (let at = 1; at < tries && name.startsWith('argot') && brokenIn(name, figures).length > 0; at++) {
    const again = await measured()
    if (figures === undefined || (again !== undefined && brokenIn(name, again).length < brokenIn(name, figures).length))
      figures = again
  }
  return figures
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, kind: { type: 'string' }, messages: { type: 'string' } },
  })
  const unknown = positionals.find(name => !chats.includes(name))
  if (values.help === true || unknown !== undefined) {
    console.log(help)
    return values.help === true ? 0 : 2
  }
  const names = positionals.length === 0 ? chats : positionals
  const kinds = values.kind === undefined ? ['text', 'tool', 'big'] : values.kind.split(',')
  const counts = (values.messages ?? '0,200,1000').split(',').map(Number)
  const outDir = join(tmpdir(), `argot-bench-ui-${process.pid}`)
  const config = {
    root: join(import.meta.dirname, 'page'),
    configFile: false as const,
    logLevel: 'error' as const,
    plugins: [react()],
    resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
    build: {
      outDir,
      emptyOutDir: true,
      rollupOptions: { input: names.map(name => join(import.meta.dirname, 'page', `${name}.html`)) },
    },
  }
  await build(config)
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
  const all = new Map<string, Figures | undefined>()
  try {
    const base = server.resolvedUrls!.local[0]!
    console.log(
      'chat kind messages'.padEnd(30),
      'mount ms',
      'script ms a token',
      'layout ms a token',
      'shift'.padStart(6),
      'slowest key ms',
      'longest task ms',
    )
    for (const name of names) {
      for (const kind of kinds) {
        for (const count of counts) {
          const title = `${name} ${kind} ${count}`
          if (kind === 'big' && name !== 'argot' && values.kind === undefined) continue
          const figures = await best(title, () =>
            measure(browser, `${base}${name}.html?messages=${count}&kind=${kind}`, kind),
          )
          all.set(title, figures)
          console.log(title.padEnd(30), figures === undefined ? 'did not finish' : row(figures))
        }
      }
    }
  } finally {
    await browser.close()
    await server.close()
    await rm(outDir, { recursive: true, force: true })
  }
  const problems = broken(all)
  for (const problem of problems) console.log(problem)
  return problems.length === 0 ? 0 : 1
}

function row({ mount, token, layout, shift, key, longest }: Figures): string {
  return [
    mount.toFixed(0).padStart(8),
    token.toFixed(2).padStart(17),
    layout.toFixed(2).padStart(17),
    shift.toFixed(3).padStart(6),
    key.toFixed(0).padStart(14),
    longest.toFixed(0).padStart(15),
  ].join(' ')
}

process.exit(await main())
