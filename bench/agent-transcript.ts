import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { accumulate, type Chunk } from '@argot/core'
import { openTranscript } from '../packages/agent/src/transcript/open-transcript.ts'
import { type Cell, numberText, table } from './table.ts'

const rounds = 3
const sizes: readonly number[] = [100, 1_000, 10_000]

/** Prints how long runs of many steps take to be written, and gives the promises that did not hold. */
export async function writeTranscripts(growthLimit: number): Promise<string[]> {
  const broken: string[] = []
  const rows: Cell[][] = []
  let before: number | undefined
  await write(1_000)
  for (const steps of sizes) {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds; round++) least = Math.min(least, await write(steps))
    const growth = before === undefined ? undefined : least / before
    rows.push([steps, least, (least * 1000) / steps, growth, growth === undefined ? undefined : Math.log10(growth)])
    if (growth !== undefined && growth > growthLimit) {
      broken.push(`A transcript of ${steps} steps takes ${numberText(growth)} times as long as a tenth of it.`)
    }
    before = least
  }
  const headings = ['steps', 'CPU ms', 'µs per step', 'growth per 10×', 'exponent']
  console.log(`## Writing a transcript: log and document, one call in each step\n\n${table(headings, rows)}\n`)
  return broken
}

/** CPU milliseconds in which a run of so many steps is folded, logged and written to its document. */
async function write(steps: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-bench-'))
  try {
    await writeFile(join(folder, 'chat.chatmd'), '<user>\nGo.\n</user>\n')
    const transcript = await openTranscript(folderStore(folder), 'chat.chatmd')
    await transcript.begin({ id: 'run-1', payloads: 'inline' })
    const fold = accumulate()
    const before = process.cpuUsage()
    const push = (chunk: Chunk): void => {
      fold.push(chunk)
      transcript.push(chunk, fold)
    }
    push({ type: 'start', messageId: 'm' })
    for (let number = 0; number < steps; number++) {
      for (const chunk of stepOf(number)) push(chunk)
      await transcript.flush()
    }
    push({ type: 'finish', finishReason: 'stop' })
    await transcript.sync()
    const { user, system } = process.cpuUsage(before)
    await transcript.close()
    return (user + system) / 1000
  } finally {
    await rm(folder, { recursive: true })
  }
}

function stepOf(number: number): Chunk[] {
  const toolCallId = `call-${number}`
  const id = `text-${number}`
  const input = { path: `file-${number}.ts` }
  return [
    { type: 'start-step' },
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: 'I look.' },
    { type: 'text-end', id },
    { type: 'tool-input-start', toolCallId, toolName: 'look' },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName: 'look', input },
    { type: 'data-argot-step', data: { step: number, finishReason: 'tool-calls' }, transient: true },
    { type: 'tool-output-available', toolCallId, output: 'ok' },
    { type: 'finish-step' },
  ]
}
