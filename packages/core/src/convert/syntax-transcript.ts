import type { Message } from '../message/message.ts'
import type { ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { ArgotError } from '../source/error.ts'
import type { Accumulator } from '../stream/accumulate.ts'
import type { Chunk } from '../stream/chunk.ts'
import { parse } from '../syntax/parse.ts'
import type { Syntax } from '../syntax/syntax.ts'
import { isEqual } from '../syntax/value/schema.ts'
import { commentJson, readMessages, writeMessages } from './markdown-transcript.ts'

/** `toolName` and `input` are set only if the syntax can't represent them. */
interface CallRecord {
  toolCallId: string
  toolName?: string
  input?: unknown
  state?: ToolInvocation['state']
  output?: unknown
  errorText?: string
}

/**
 * A conversation as Markdown with calls in a syntax. A comment line after each call has its id and its result, and its
 * input if the syntax can't represent that:
 *
 *     <!-- argot message {"role":"assistant","id":"m1","status":"sent"} -->
 *     I will look.
 *
 *     <tool:search>
 *     <param:query>news</param:query>
 *     </tool:search>
 *     <!-- argot call {"toolCallId":"call_1","state":"output-available","output":[]} -->
 */
export function writeSyntaxTranscript(messages: readonly Message[], syntax: Syntax): string {
  return writeMessages(messages, {
    writeCall: call => writeCall(call, syntax),
    escapeCalls: text => escapeSyntaxCalls(text, syntax),
  })
}

/** A model's raw text, without comments, is one assistant message. */
export function readSyntaxTranscript(text: string, syntax: Syntax): Message[] {
  let request = 0
  return readMessages(text, (accumulator, step, index) => {
    if (index === 0) request = 0
    // The comments' records come between the texts: text, record, text, record, …, text.
    step.split(/^<!-- argot call (\{.*\}) -->(?:\r?\n|$)/m).forEach((piece, place, pieces) => {
      if (place % 2 === 0) readPiece(accumulator, piece, syntax, request++, parseRecord(pieces[place + 1]))
    })
  })
}

function writeCall(call: ToolInvocation, syntax: Syntax): string {
  const { toolCallId, toolName, input, state, output, errorText } = call
  const formatted = formatCall(call, syntax)
  const record: CallRecord = {
    toolCallId,
    ...defined({
      toolName: formatted === undefined ? toolName : undefined,
      input: formatted?.exact === true ? undefined : input,
      state: state === 'input-available' ? undefined : state,
      output,
      errorText,
    }),
  }
  const comment = `<!-- argot call ${commentJson(record)} -->`
  return formatted === undefined ? comment : `${formatted.text.trimEnd()}\n${comment}`
}

/** `exact`: reading the text back gives the same call. Undefined if the syntax can't represent the call. */
function formatCall(call: ToolInvocation, syntax: Syntax): { text: string; exact: boolean } | undefined {
  try {
    const text = syntax.format(call)
    const calls = parse(syntax, `${text}\n`).filter(chunk => chunk.type === 'tool-input-available')
    const [only] = calls
    if (calls.length !== 1 || only?.type !== 'tool-input-available' || only.toolName !== call.toolName) return undefined
    return { text, exact: isEqual(only.input, call.input ?? {}) }
  } catch (error) {
    if (error instanceof ArgotError && error.code === 'SYNTAX_CANNOT_WRITE') return undefined
    throw error
  }
}

/** A text with more calls is put in a fence. */
const MAX_ESCAPED_CALLS = 50

function escapeSyntaxCalls(text: string, syntax: Syntax): string {
  let escaped = text
  for (let count = 0; count < MAX_ESCAPED_CALLS; count++) {
    const at = findFirstCall(escaped, syntax)
    if (at < 0) return escaped
    escaped = `${escaped.slice(0, at)}\\${escaped.slice(at)}`
  }
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** -1 if there is none. */
function findFirstCall(text: string, syntax: Syntax): number {
  let at = 0
  for (const chunk of parse(syntax, text)) {
    if (chunk.type.startsWith('tool-')) return at
    if (chunk.type === 'text-delta') at = text.indexOf(chunk.delta, at) + chunk.delta.length
  }
  return -1
}

/** The record is about the last call in the text, or about a call that the syntax can't represent. */
function readPiece(
  accumulator: Accumulator,
  text: string,
  syntax: Syntax,
  step: number,
  record: CallRecord | undefined,
): void {
  const chunks = parse(syntax, text, { reasoning: 'parts', step })
  const last = chunks.findLast(chunk => chunk.type === 'tool-input-available')
  for (const chunk of chunks) {
    if (record !== undefined && last !== undefined && 'toolCallId' in chunk && chunk.toolCallId === last.toolCallId) {
      if (record.toolName === undefined)
        accumulator.push(withInput({ ...chunk, toolCallId: record.toolCallId }, record))
      else accumulator.push(chunk)
    } else accumulator.push(chunk)
  }
  if (record === undefined) return
  const { toolCallId, toolName, input = {} } = record
  if (toolName !== undefined) {
    accumulator.push({ type: 'tool-input-start', toolCallId, toolName })
    accumulator.push({ type: 'tool-input-available', toolCallId, toolName, input })
  } else if (last === undefined) return
  if (record.errorText !== undefined || record.state === 'output-error') {
    accumulator.push({ type: 'tool-output-error', toolCallId, errorText: record.errorText ?? 'Tool failed' })
  } else if (record.state === 'output-denied') accumulator.push({ type: 'tool-output-denied', toolCallId })
  else if (record.output !== undefined || record.state === 'output-available') {
    accumulator.push({ type: 'tool-output-available', toolCallId, output: record.output ?? null })
  }
}

function withInput(chunk: Chunk, { input }: CallRecord): Chunk {
  return chunk.type === 'tool-input-available' && input !== undefined ? { ...chunk, input } : chunk
}

function parseRecord(json: string | undefined): CallRecord | undefined {
  if (json === undefined) return undefined
  try {
    const record = JSON.parse(json) as Partial<CallRecord>
    return typeof record.toolCallId === 'string' ? { ...record, toolCallId: record.toolCallId } : undefined
  } catch {
    return undefined
  }
}
