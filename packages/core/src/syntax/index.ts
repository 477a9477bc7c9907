export type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
export { auto, createAuto } from './auto.ts'
export { callout } from './callout.ts'
export { caret } from './caret/caret.ts'
export { dialectFor, dialects } from './dialects/all.ts'
export { hermes } from './dialects/hermes.ts'
export { invoke } from './dialects/invoke.ts'
export { mistral } from './dialects/mistral.ts'
export { qwen3Coder } from './dialects/qwen3-coder.ts'
export { fence } from './fence.ts'
export type { Dialect } from './generators/dialect.ts'
export { jsonDialect } from './generators/json-dialect.ts'
export { keywordDialect } from './generators/keyword-dialect.ts'
export type { JsonDialect, KeywordDialect, TaggedDialect } from './generators/tables.ts'
export { taggedDialect } from './generators/tagged-dialect.ts'
export { native } from './native.ts'
export { parse, syntaxStream } from './parse.ts'
export type { OpenCall } from './reader/open-call.ts'
export { type Grammar, Reader } from './reader/reader.ts'
export type { State, States } from './reader/states.ts'
export { type SyntaxRegistry, syntaxes } from './registry.ts'
export {
  type CallLimit,
  callLimits,
  type ParserOptions,
  type Syntax,
  type SyntaxParser,
  type TraceStep,
} from './syntax.ts'
// What a syntax is made of.
export { describeTools } from './teach/describe-tools.ts'
export { exampleCall } from './teach/example-call.ts'
export { quoteResult, type ResultLabel } from './teach/quote-result.ts'
export { type CoercedArguments, coerceArguments } from './value/coerce-arguments.ts'
export { describeSchema } from './value/schema.ts'
export { type ListStyle, type WrittenParameter, writeParameters } from './value/write-value.ts'
export { xml } from './xml.ts'
