import { readFile } from 'node:fs/promises'
import { accumulate, type Chunk, getMessageText } from 'argot'
import type { Preview } from './preview.ts'
import type { Run, RunOptions, RunResult } from './run-options.ts'

/** Stands in until the loop is there: plays the same few chunks for every document. */
export function runDocument(file: string, options: RunOptions = {}): Run {
  let resolve: (result: RunResult) => void = () => {}
  const result = new Promise<RunResult>(settle => {
    resolve = settle
  })
  async function* play(): AsyncGenerator<Chunk> {
    const fold = accumulate()
    options.notice?.('This is a stand-in for the loop.')
    await readFile(file)
    for (const chunk of script) {
      if (options.signal?.aborted === true) break
      fold.push(chunk)
      yield chunk
    }
    fold.end()
    const message = fold.message
    const text = message === undefined ? '' : getMessageText(message)
    const status = options.signal?.aborted === true ? 'stopped' : 'done'
    resolve({ status, text, ...(message !== undefined && { message }) })
  }
  const stream = play()
  return { id: 'run-1', result, [Symbol.asyncIterator]: () => stream }
}

export async function previewDocument(file: string, _options: RunOptions = {}): Promise<Preview> {
  const text = await readFile(file, 'utf8')
  return {
    model: 'demo',
    syntax: 'xml',
    tools: [],
    messages: [{ role: 'user', sent: true, pieces: [{ text, origin: `${file}:1` }] }],
    diagnostics: [],
    sources: new Map(),
    notices: [],
  }
}

const script: Chunk[] = [
  { type: 'start', messageId: 'm1' },
  { type: 'start-step' },
  { type: 'text-start', id: 't1' },
  { type: 'text-delta', id: 't1', delta: 'Hello.' },
  { type: 'text-end', id: 't1', providerMetadata: { argot: { phase: 'final' } } },
  { type: 'finish-step' },
  { type: 'finish', messageId: 'm1', finishReason: 'stop' },
]
