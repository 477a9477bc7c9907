/** For the packages of this repository alone: names here change without notice. */
export { qwen3Coder } from './dialects/qwen3-coder.ts'
export type { JsonDialect, TaggedDialect } from './generators/tables.ts'
export { type CallLimit, callLimits, type ParserOptions } from './syntax.ts'
export { describeSchema } from './value/schema.ts'
