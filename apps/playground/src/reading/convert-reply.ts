import type { ToolDefinition } from '@argot/core'
import { estimateTokens } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { readReply, type Slices, signCalls } from './read-reply.ts'
import type { CallReading, Reading, ReadRequest } from './reading.ts'

/** What a reply's calls cost in one syntax, in estimated tokens. */
export interface Cost {
  syntax: string
  tokens?: number | undefined
  problem?: string | undefined
}

export interface ReplyConversion {
  syntax: string
  text: string
  /**
   * Whether reading the text as that syntax gives the same calls. Unknown for native calls: they are not in the text.
   */
  isSame?: boolean | undefined
  problem?: string | undefined
}

export function* estimateCosts(calls: readonly CallReading[], request: ReadRequest): Slices<Cost[]> {
  const costs: Cost[] = []
  for (const syntax of syntaxes.names()) {
    if (syntax === 'auto') continue
    costs.push(estimateCost(syntax, calls, request.tools))
    yield
  }
  return costs.sort((a, b) => (a.tokens ?? Number.POSITIVE_INFINITY) - (b.tokens ?? Number.POSITIVE_INFINITY))
}

function estimateCost(syntax: string, calls: readonly CallReading[], tools: readonly ToolDefinition[]): Cost {
  try {
    const texts = calls.filter(({ failure }) => failure === undefined).map(call => writeCall(syntax, call, tools))
    return { syntax, tokens: estimateTokens(texts.join('\n')) }
  } catch (error) {
    return { syntax, problem: describeError(error) }
  }
}

/** The reply with its calls in another syntax. Text stays, template tokens go, and failed calls stay as written. */
export function* convertReply(reading: Reading, request: ReadRequest, syntax: string): Slices<ReplyConversion> {
  try {
    const text = writeReply(reading, request, syntax)
    if (syntaxes.get(syntax).kind === 'native') return { syntax, text }
    const again = yield* readReply({ ...request, text, syntax })
    return { syntax, text, isSame: signCalls(again.calls) === signCalls(reading.calls) }
  } catch (error) {
    return { syntax, text: '', problem: describeError(error) }
  }
}

function writeReply(reading: Reading, { text, tools }: ReadRequest, syntax: string): string {
  let out = ''
  let last: ReplyPiece['kind'] = 'text'
  for (const { kind, text: piece } of pieces(reading, text, call => writeCall(syntax, call, tools))) {
    if (piece.trim() === '') continue
    const isBlock = kind !== 'text' || last !== 'text'
    out = isBlock ? `${out.trimEnd()}${gap(out, kind, last)}${piece.trimStart()}` : out + piece
    last = kind
  }
  return out
}

/** Text, or something that needs its own lines. */
interface ReplyPiece {
  kind: 'text' | 'reasoning' | 'call'
  text: string
}

function* pieces(
  { segments, calls }: Reading,
  text: string,
  write: (call: CallReading) => string,
): Generator<ReplyPiece> {
  for (const { kind, start, end, index = -1 } of segments) {
    const source = text.slice(start, end)
    const call = kind === 'call' ? calls[index] : undefined
    if (call !== undefined && call.failure === undefined) yield { kind: 'call', text: write(call) }
    else if (kind === 'reasoning') yield { kind, text: `<think>\n${source.trim()}\n</think>` }
    else if (kind !== 'mark') yield { kind: 'text', text: source }
  }
}

function gap(before: string, kind: ReplyPiece['kind'], last: ReplyPiece['kind']): string {
  if (before.trim() === '') return ''
  return kind === 'call' && last === 'call' ? '\n' : '\n\n'
}

function writeCall(syntax: string, call: CallReading, tools: readonly ToolDefinition[]): string {
  const { id: toolCallId, toolName, input } = call
  const tool = tools.find(({ name }) => name === toolName)
  return syntaxes.get(syntax).format({ toolCallId, toolName, input }, tool)
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : 'This syntax cannot write the calls.'
}
