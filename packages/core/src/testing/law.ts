import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import type { Chunk, ToolInputAvailable } from '../stream/chunk.ts'
import type { ParserOptions, Syntax } from '../syntax/syntax.ts'
import { isEqual } from '../syntax/value/schema.ts'
import type { CaseGenerator } from './generate.ts'
import type { Random } from './random.ts'

/** Where calls are only examples. */
export type QuotePlace =
  | 'fence'
  | 'quote'
  | 'list item'
  | 'reasoning'
  | 'code span'
  | 'html'
  | 'indented code'
  | 'table'
  | 'footnote'
  | 'escape'

export interface Trial {
  syntax: Syntax
  shards: readonly string[]
  texts: readonly string[]
  /** Places where this syntax has real calls, so that examples there look like real ones. */
  livesIn: Partial<Record<QuotePlace, string>>
  /** The text that decides a call if more of its text may follow; otherwise empty. */
  decidedBy: string
  random: Random
  generate: CaseGenerator
  /** How many cases to try: `count(1000)` is 1000 times the requested thoroughness. */
  count(usual: number): number
}

/** One promise that every syntax keeps. `check` throws an error that shows the case that breaks it. */
export interface Law {
  name: string
  check(trial: Trial): void
}

export function readPieces(syntax: Syntax, pieces: readonly string[], options?: ParserOptions): Chunk[] {
  const parser = syntax.parser(options)
  const chunks: Chunk[] = []
  for (const piece of pieces) for (const chunk of parser.push(piece)) chunks.push(chunk)
  for (const chunk of parser.end()) chunks.push(chunk)
  return chunks
}

/** Calls with errors are left out. */
export function collectCalls(chunks: readonly Chunk[]): ToolInputAvailable[] {
  return chunks.filter(chunk => chunk.type === 'tool-input-available')
}

export function hasToolChunk(chunks: readonly Chunk[]): boolean {
  return chunks.some(chunk => chunk.type.startsWith('tool-'))
}

/** Checks that the chunks hold exactly this call, and that its deltas are its input. */
export function expectCall(chunks: readonly Chunk[], call: CallToWrite, facts: object): void {
  const calls = collectCalls(chunks)
  const [only] = calls
  const right = calls.length === 1 && only?.toolName === call.toolName && isEqual(only.input, call.input)
  if (!right || chunks.some(chunk => chunk.type === 'tool-input-error'))
    failLaw('the call is not read back', { ...facts, call, chunks })
  const deltas = chunks.map(chunk => (chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : '')).join('')
  if (!isEqual(JSON.parse(deltas), call.input))
    failLaw("the deltas don't add up to the input", { ...facts, call, deltas })
}

/** A tool definition that allows any input, for calls of which only the name matters. */
export function looseTool(name: string, effect: ToolDefinition['effect']): ToolDefinition {
  return { name, inputSchema: { type: 'object' }, ...defined({ effect }) }
}

export function failLaw(how: string, facts: object): never {
  const lines = Object.entries(facts).map(([name, value]) => `  ${name}: ${describeValue(value)}`)
  throw new Error([`${how[0]?.toUpperCase()}${how.slice(1)}.`, ...lines].join('\n'))
}

function describeValue(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 4000 ? `${json.slice(0, 4000)}…` : json
}
