import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createResolver } from '@argot/agent/workshop'
import type { Message } from '@argot/core'
import { buildPrompt } from '@argot/core/ai-sdk'
import { expand, parseChatMd, writeChatMd } from '@argot/core/chatmd'
import type { TranscriptRecord } from '@argot/core/chatmd/internal'
import { native } from '@argot/core/syntax'
import { openTranscript } from '../packages/agent/src/transcript/open-transcript.ts'
import { preparedModel } from './agent-cases.ts'
import { type Cell, numberText, table } from './table.ts'

const rounds = 8
/** Ten times the turns may cost this much, a power of 1.3: the collector has more to look through in a larger heap. */
const growthLimit = 20

/** CPU milliseconds of everything that happens before a transcript can be gone on with. */
interface Phases {
  open: number
  parse: number
  expand: number
  prompt: number
}

/** Prints how long long transcripts take to be gone on with, and gives the promises that did not hold. */
export async function resumeTranscripts(full: boolean): Promise<string[]> {
  const broken: string[] = []
  const rows: Cell[][] = []
  for (const payloads of ['external', 'inline'] as const) {
    let before: number | undefined
    // Twenty thousand files take a minute to be made.
    const sizes = payloads === 'inline' || full ? [100, 1_000, 10_000] : [100, 1_000]
    for (const turns of sizes) {
      const phases = await measureResume(turns, payloads)
      const all = phases.open + phases.parse + phases.expand + phases.prompt
      const growth = before === undefined ? undefined : all / before
      rows.push([
        ...[payloads, turns, phases.open, phases.parse, phases.expand, phases.prompt, all],
        ...[(all * 1000) / turns, growth],
      ])
      if (growth !== undefined && growth > growthLimit) {
        broken.push(
          `A transcript of ${turns} turns (${payloads}) takes ${numberText(growth)} times as long as a tenth of it.`,
        )
      }
      before = all
    }
  }
  const headings = ['payloads', 'turns', 'open ms', 'parse ms', 'expand ms', 'prompt ms', 'all ms', 'µs per turn']
  console.log(`## Going on with a transcript\n\n${table([...headings, 'growth per 10×'], rows)}\n`)
  return broken
}

async function measureResume(turns: number, payloads: 'external' | 'inline'): Promise<Phases> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-bench-'))
  try {
    const file = join(folder, 'chat.chatmd')
    await writeTranscript(folder, file, turns, payloads)
    const least: Phases = { open: Infinity, parse: Infinity, expand: Infinity, prompt: Infinity }
    // No full collection between rounds: V8 would forget what it has learned.
    for (let round = 0; round < rounds; round++) {
      const phases = await resume(folder, file, turns)
      for (const name of Object.keys(least) as (keyof Phases)[]) least[name] = Math.min(least[name], phases[name])
    }
    return least
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function resume(directory: string, file: string, turns: number): Promise<Phases> {
  const time = stopwatch()
  const transcript = await openTranscript(folderStore(dirname(file)), basename(file))
  const open = time()
  try {
    const { document } = parseChatMd(transcript.source, { file })
    const parse = time()
    const expanded = await expand(document, { resolver: createResolver({ directory }) })
    const expanding = time()
    const messages = expanded.messages.map(({ message }) => message)
    const { prompt } = await buildPrompt(messages, { syntax: native, tools: [], language: preparedModel([]) })
    const all = { open, parse, expand: expanding, prompt: time() }
    if (prompt.length !== 4 * turns) throw new Error(`The prompt has ${prompt.length} messages.`)
    return all
  } finally {
    await transcript.close()
  }
}

/** CPU milliseconds since it was last asked. */
function stopwatch(): () => number {
  let before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    return (user + system) / 1000
  }
}

async function writeTranscript(
  folder: string,
  file: string,
  turns: number,
  payloads: 'external' | 'inline',
): Promise<void> {
  const records: TranscriptRecord[] = Array.from({ length: turns }, (_, turn) => turnOf(turn)).flatMap(messages =>
    messages.map(message => ({ type: 'message', message }) as const),
  )
  const { append, files } = writeChatMd(records, { payloads })
  await mkdir(join(folder, '.chatmd'))
  for (const { path, text } of files) await writeFile(join(folder, path), text)
  await writeFile(file, append)
}

/** A question of the user, and an answer with a call. */
function turnOf(turn: number): Message[] {
  const id = `msg-${turn}`
  const listing = `export function f${turn}(a: number): number {\n  return a < 0 ? -a : a // <T>\n}\n`.repeat(3)
  return [
    {
      ...{ id: `user-${turn}`, role: 'user', status: 'sent' },
      parts: [{ type: 'text', id: `user-${turn}:0`, text: `Please look at file ${turn}: is 1 < 2?`, state: 'done' }],
    },
    {
      ...{ id, role: 'assistant', status: 'sent', finishReason: 'stop' },
      parts: [
        { type: 'step-start' },
        { type: 'text', id: `${id}:1`, text: 'I look.', state: 'done', phase: 'commentary', toolCallId: `c-${turn}` },
        {
          type: 'tool',
          toolInvocation: {
            ...{ key: `c-${turn}`, toolCallId: `c-${turn}`, toolName: 'look', state: 'output-available' },
            ...{ input: { path: `src/file-${turn}.ts` }, output: listing },
          },
        },
        { type: 'step-start' },
        { type: 'text', id: `${id}:2`, text: `The function \`f${turn}\` is **fine**.`, state: 'done', phase: 'final' },
      ],
    },
  ]
}
