import { execFileSync } from 'node:child_process'
import { extname } from 'node:path'
import { syntaxes, syntaxStream } from '@argot/core/syntax'
import { cpuTime, median, sampleInTurn } from './measure.ts'
import { longCall, pieces, sourceCode } from './syntax-cases.ts'
import { peers, readWithPeer } from './syntax-peer.ts'
import { type AutoShare, growthLimit, readAll, type Speed } from './syntax-speed.ts'
import { callTable, wrapperTable } from './syntax-tokens.ts'
import { numberText, table } from './table.ts'

/** What the syntaxes that carry long values aim at: characters per microsecond, and the share of a bare loop. */
const aims = { syntaxes: ['xml', 'caret', 'hermes', 'qwen3-coder'], argument: 50, prose: 100, share: 0.3 }
/** One of each kind; `--full` measures all of them. */
const measuredNames = [
  'native',
  'xml',
  'caret',
  'callout',
  'fence',
  'hermes',
  'mistral',
  'qwen3-coder',
  'pythonic',
  'auto',
]
/** The dialects that `auto` is measured beside, and how fast it aims to be: a share of their speed. */
const autoBeside = ['xml', 'hermes', 'qwen3-coder', 'mistral', 'lfm2']
const autoShare = 0.5
/** Where the peer takes minutes it is not asked. */
const peerSizes = { quick: [10_000, 100_000], full: [10_000, 100_000, 1_000_000] }

export async function run({ full }: { full: boolean }): Promise<boolean> {
  console.log(`MB/s: millions of characters per CPU second through \`push\`, in pieces of 4 to 20 characters; warmed up, the median
of several samples, each syntax in a process of its own. The bare loop looks at every character of every piece and gives the piece out as one delta.
\`read\`: 100 KB through the parser and a fold, with everything that is new read after every piece. The exponent is that of the time
from 100 KB to 1 MB.\n`)
  const broken: string[] = []
  const missed: string[] = []
  const notes: string[] = []
  const names = full ? syntaxes.names() : measuredNames
  const rows = names.map(name => {
    const speed = measureAlone<Speed>('measureSyntax', name, full)
    const limit = Math.max(growthLimit, 1.1 * (speed.libraryGrowth ?? 0))
    if (speed.growth > limit) {
      broken.push(
        `${name}: ten times the argument costs ${numberText(speed.growth)} times as much, more than ${numberText(limit)}.`,
      )
    }
    if (speed.libraryGrowth !== undefined) {
      notes.push(
        `${name}: of ten times the argument \`yaml\` alone makes ${numberText(speed.libraryGrowth)} times the work; it may cost a tenth more.`,
      )
    }
    missed.push(...missedAims(name, speed))
    const { small, medium, large, growth, share, read, calls, call, text, textShare } = speed
    return [name, small, medium, large, Math.log10(growth).toFixed(2), share, read, calls, call, text, textShare]
  })
  console.log(
    `${table(['syntax', '10 KB', '100 KB', '1 MB', 'exponent', 'of bare loop', 'read', 'small calls', 'µs a call', 'prose', 'of bare loop'], rows)}\n`,
  )
  compareAuto(full, missed, broken)
  await comparePeers(full ? peerSizes.full : peerSizes.quick)
  console.log(`## Tokens that a syntax adds to the values of a call\n\n${wrapperTable()}\n`)
  console.log(`## Tokens of the calls in \`argot trial\`, on average\n\n${callTable()}\n`)
  for (const sentence of [...notes, ...missed]) console.log(`· ${sentence}`)
  for (const sentence of broken) console.log(`✗ ${sentence}`)
  if (broken.length === 0) console.log('✓ Every syntax is linear.')
  return broken.length === 0
}

/** Prints how fast `auto` is beside some dialects. */
function compareAuto(full: boolean, missed: string[], broken: string[]): void {
  const rows = autoBeside.map(name => {
    const share = measureAlone<AutoShare>('measureAuto', name, full)
    const { argument, calls, prose, marked, growth } = share
    for (const [what, is] of Object.entries({ argument, calls, prose, marked })) {
      if (is < autoShare)
        missed.push(`auto beside ${name}, ${what}: ${numberText(is)} of its speed, the aim ${autoShare}.`)
    }
    if (growth > growthLimit) broken.push(`auto: ten times the marked prose costs ${numberText(growth)} times as much.`)
    return [name, argument, calls, prose, marked, Math.log10(growth).toFixed(2)]
  })
  console.log(`## \`auto\` beside the dialect that a text is in: its share of the speed

Both read the same pieces in turn, in one process. Marked prose is full of \`<\` and \`[\` and has no calls; the exponent is that
of \`auto\` on it from 100 KB to 1 MB.

${table(['dialect', '100 KB in one argument', 'small calls', 'prose', 'marked prose', 'exponent'], rows)}\n`)
}

/** Each measure in a process of its own, as an application uses one syntax: V8 has then learned from no other. */
function measureAlone<Result>(measure: 'measureSyntax' | 'measureAuto', name: string, full: boolean): Result {
  const file = new URL(`syntax-speed${extname(import.meta.filename)}`, import.meta.url).href
  const program = `import { ${measure} } from ${JSON.stringify(file)}
    console.log(JSON.stringify(${measure}(${JSON.stringify(name)}, ${full})))`
  const flags = [...process.execArgv, '--input-type=module', '--eval', program]
  const output = execFileSync(process.execPath, flags, { encoding: 'utf8' })
  return JSON.parse(output) as Result
}

function missedAims(name: string, { large, text, share }: Speed): string[] {
  if (!aims.syntaxes.includes(name)) return []
  const missed: string[] = []
  const say = (what: string, is: number, aim: number) => {
    if (is < aim) missed.push(`${name}: ${what} is ${numberText(is)}, the aim ${aim}.`)
  }
  say('1 MB in one argument, in MB/s,', large, aims.argument)
  say('prose, in MB/s,', text, aims.prose)
  say('its share of the bare loop', share, aims.share)
  return missed
}

/** Prints one long argument through the peer's middleware beside ours, both around a model that only sends pieces. */
async function comparePeers(sizes: readonly number[]): Promise<void> {
  const rows: (string | number | undefined)[][] = []
  for (const name of Object.keys(peers) as (keyof typeof peers)[]) {
    await readWithPeer(name, pieces(longCall(syntaxes.get(name), 2_000)))
    for (const size of sizes) {
      const list = pieces(longCall(syntaxes.get(name), size))
      const content = sourceCode(size)
      let inputs: string[] = []
      const peer = await cpuTime(async () => {
        inputs = await readWithPeer(name, list)
      })
      const right = (JSON.parse(inputs[0] ?? '{}') as { content?: string }).content === content
      const model = await cpuTime(() => readWithPeer(undefined, list))
      const stream = await cpuTime(() => readThroughStream(name, list))
      const [samples] = sampleInTurn([() => void readAll(syntaxes.get(name), list)], {
        samples: 5,
        atLeast: 20,
        warmUp: 100,
      })
      const push = median(samples!)
      rows.push([name, size, peer, right ? 'yes' : 'no', model, stream, push, peer / stream, peer / push])
    }
  }
  console.log(`## One long argument beside @ai-sdk-tool/parser 4.1.26, CPU ms

The peer runs as middleware around a mock model; \`model\` is that model without it. Ours runs as a TransformStream around
the same pieces, and as bare \`push\`. One run each but for \`push\`. \`whole\`: the peer gives the argument back unchanged.\n`)
  console.log(
    `${table(['syntax', 'characters', 'peer', 'whole', 'model', 'ours, stream', 'ours, push', 'peer / stream', 'peer / push'], rows)}\n`,
  )
}

async function readThroughStream(name: string, list: readonly string[]): Promise<void> {
  const stream = new ReadableStream<string>({
    start(controller) {
      for (const piece of list) controller.enqueue(piece)
      controller.close()
    },
  })
  for await (const _ of stream.pipeThrough(syntaxStream(name)));
}
