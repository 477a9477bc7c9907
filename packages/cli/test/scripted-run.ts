import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { ApprovalAnswer, ApprovalRequest, Run, RunOptions, RunResult } from '@argot/agent'
import type { CommandIdentity } from '@argot/agent/internal'
import type { Preview } from '@argot/agent/workshop'
import { accumulate, type Chunk, getMessageText, type Message } from '@argot/core'

/** One line of a script: a chunk, or something else that a run does. */
export type ScriptLine =
  | Chunk
  | { notice: string }
  /** Asks whether a command may be offered; the answer comes as a text chunk. */
  | { trust: string; identity?: CommandIdentity }
  /** What the next question has besides the call. */
  | { ask: Partial<ApprovalRequest> & { problemOf?: Record<string, string> } }
  /** Says something, then waits until the run is stopped. */
  | { hang: true }
  | { result: RunResult }
  /** What `--dry-run` gives instead. */
  | { preview: Omit<Preview, 'sources'> }

/** A `runDocument` that does what the file says, one `ScriptLine` a line, and asks where the script asks. */
export function runScript(file: string, options: RunOptions = {}): Run {
  let settle: (result: RunResult) => void = () => {}
  const result = new Promise<RunResult>(resolve => {
    settle = resolve
  })
  const stream = play(file, options, settle)
  return {
    id: 'run-1',
    result,
    text: result.then(({ text }) => text),
    stop: () => {},
    answer: () => false,
    giveOutput: () => false,
    steer: async () => false,
    follow: () => {
      throw new Error('A script has no log.')
    },
    [Symbol.asyncIterator]: () => stream,
  }
}

export async function previewScript(file: string): Promise<Preview> {
  const line = (await readScript(file)).find(one => 'preview' in one)
  if (line === undefined || !('preview' in line)) throw new Error('The script has no preview.')
  return { ...line.preview, sources: new Map() }
}

async function* play(
  file: string,
  options: RunOptions,
  settle: (result: RunResult) => void,
): AsyncGenerator<Chunk, void, undefined> {
  const fold = accumulate()
  const { signal = new AbortController().signal } = options
  let end: RunResult | undefined
  let more: AskedFor = {}
  for (const line of await readScript(file)) {
    if ('notice' in line) options.notice?.(line.notice)
    else if ('result' in line) end = line.result
    else if ('ask' in line) more = line.ask
    else if ('hang' in line) {
      const alive = setInterval(() => {}, 1000)
      if (!signal.aborted) await once(signal, 'abort')
      clearInterval(alive)
    } else if ('trust' in line) {
      const trusted = (await options.trust?.({ file, command: line.trust, identity: line.identity })) ?? false
      yield* say(`t${fold.diagnostics.length}`, `Trusted: ${trusted}.`)
    } else if ('type' in line) {
      fold.push(line)
      yield line
      if (line.type !== 'tool-approval-request') continue
      for (const chunk of await answerChunks(line, more, options, signal)) {
        fold.push(chunk)
        yield chunk
      }
    }
  }
  fold.end()
  const message: Message = fold.message ?? { id: 'msg', role: 'assistant', status: 'sent', parts: [] }
  const text = getMessageText(message)
  settle(end ?? (signal.aborted ? { status: 'stopped', text } : { status: 'done', message, text }))
}

function say(id: string, delta: string): Chunk[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id, providerMetadata: { argot: { phase: 'final' } } },
  ]
}

type AskedFor = Extract<ScriptLine, { ask: unknown }>['ask']

async function answerChunks(
  request: Extract<Chunk, { type: 'tool-approval-request' }>,
  { problemOf = {}, ...more }: AskedFor,
  { ask }: RunOptions,
  signal: AbortSignal,
): Promise<Chunk[]> {
  const { toolCallId, toolName = '', input, approvalId = toolCallId } = request
  if (typeof ask !== 'function') return [{ type: 'tool-output-error', toolCallId, errorText: 'Nobody can be asked.' }]
  const answer: ApprovalAnswer | undefined = await ask({
    approvalId,
    toolCallId,
    toolName,
    input,
    effect: 'write',
    checkInput: async edited => problemOf[JSON.stringify(edited)],
    ...more,
    signal,
  })
  if (answer === undefined) return []
  const { approved, reason, always } = answer
  const response: Chunk = {
    type: 'tool-approval-response',
    approvalId,
    toolCallId,
    approved,
    ...(reason !== undefined && { reason }),
    ...(always !== undefined && { always }),
  }
  if (!approved) return [response, { type: 'tool-output-denied', toolCallId, ...(reason !== undefined && { reason }) }]
  return [response, { type: 'tool-output-available', toolCallId, output: { ran: answer.input ?? input } }]
}

async function readScript(file: string): Promise<ScriptLine[]> {
  const text = await readFile(file, 'utf8')
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as ScriptLine)
}
