/** Only for packages in this repository: these names change without notice. */
export { qwen3Coder } from './dialects/qwen3-coder.ts'
export type { JsonDialect, TaggedDialect } from './generators/tables.ts'
export { listSyntaxes } from './list-syntaxes.ts'
export { commonSyntaxes } from './registry.ts'
export { type CallLimit, callLimits, type ParserOptions, type SyntaxDiagnostic } from './syntax.ts'
export { coerceArguments } from './value/coerce-arguments.ts'
export { describeSchema } from './value/schema.ts'
