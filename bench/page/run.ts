import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { type Browser, chromium } from 'playwright'
import { build } from 'vite'

/**
 * Measures what the page of `argot serve` costs to open, by the time that its thread works:
 *
 *     npm run bench:page
 *
 * A folder of 1 000 documents, and in it a transcript of 2 000 messages with calls. It fails where opening takes more than
 * 300 ms of script.
 */
const root = new URL('../..', import.meta.url).pathname
const documents = 1000
const turns = 1000
const most = 300
const rounds = 3

function transcript(): string {
  const pieces = ['<config model="demo" show_tool_call/>\n<tool name="read_file"/>\n']
  for (let turn = 0; turn < turns; turn++) {
    pieces.push(`
<user id="u${turn}">
Question ${turn}: what does \`notes/${turn}.md\` say, and what follows from it for the rest of the plan?
</user>

<tool_call tool_call_id="c${turn}" function_name="read_file" message="m${turn}">
RAW|{"path":"notes/${turn}.md"}|RAW
</tool_call>

<tool_response tool_call_id="c${turn}" message="m${turn}">
RAW|${'A line of the notes.\n'.repeat(20)}|RAW
</tool_response>

<assistant message="m${turn}">
## Answer ${turn}

It has **twenty lines**, and they all say the same: see \`notes/${turn}.md\`.

- one point
- another point

\`\`\`ts
const answer = ${turn}
\`\`\`
</assistant>
`)
  }
  return pieces.join('')
}

interface Cost {
  script: number
  layout: number
  all: number
  paint: number
}

async function open(browser: Browser, url: string, ready: string): Promise<Cost> {
  const window = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await window.newPage()
    const session = await window.newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(url)
    await page.getByText(ready, { exact: true }).first().waitFor({ timeout: 120_000 })
    await page.waitForTimeout(1000)
    const { metrics } = await session.send('Performance.getMetrics')
    const value = (name: string): number => 1000 * (metrics.find(one => one.name === name)?.value ?? 0)
    const paint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    )
    return {
      script: value('ScriptDuration'),
      layout: value('LayoutDuration') + value('RecalcStyleDuration'),
      all: value('TaskDuration'),
      paint,
    }
  } finally {
    await window.close()
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-bench-page-')))
const docs = join(folder, 'docs')
await mkdir(docs, { recursive: true })
for (let index = 0; index < documents - 2; index++) {
  await writeFile(
    join(docs, `plan-${String(index).padStart(4, '0')}.chatmd`),
    `<config model="demo"/>\n\n<user>\nPlan number ${index}\n</user>\n`,
  )
}
await writeFile(join(docs, 'small.chatmd'), '<config model="demo"/>\n\n<user>\nA small document\n</user>\n')
await writeFile(join(docs, 'long.chatmd'), transcript())
process.env.NODE_ENV = 'production'
await build({ root: join(root, 'apps/web'), logLevel: 'warn' })
const server = createServer({
  store: folderStore(docs, { key: Buffer.alloc(32, 5) }),
  stateFolder: join(folder, 'state'),
  page: join(root, 'packages/server/page'),
  run: { env: {}, cwd: docs, configFolder: join(folder, 'config') },
})
const listening = await listen(server, { port: 0 })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
let isKept = true
try {
  const url = `http://127.0.0.1:${listening.port}/`
  const cases = [
    { name: `${documents} documents`, path: '#/small.chatmd', ready: 'A small document' },
    { name: `${documents} documents, ${2 * turns} messages`, path: '#/long.chatmd', ready: `Answer ${turns - 1}` },
  ]
  console.log('Time that the main thread of the page works until it is still, median of', rounds)
  for (const { name, path, ready } of cases) {
    const costs: Cost[] = []
    for (let round = 0; round < rounds; round++) costs.push(await open(browser, url + path, ready))
    const [script, layout, all, paint] = (['script', 'layout', 'all', 'paint'] as const).map(field =>
      Math.round(median(costs.map(one => one[field]))),
    )
    console.log(
      `  ${name}: script ${script} ms (at most ${most}), layout ${layout} ms, all ${all} ms; first paint after ${paint} ms`,
    )
    if (script! > most) isKept = false
  }
} finally {
  await browser.close()
  const closing = server.close()
  await listening.close()
  await closing
  await rm(folder, { recursive: true, force: true })
}
if (!isKept) {
  console.log(`Opening takes more than ${most} ms of script.`)
  process.exitCode = 1
}
