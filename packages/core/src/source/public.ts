/** What of this folder is in the door `argot`. */
export type { Diagnostic } from './diagnostic.ts'
export { ArgotError, type ErrorCode } from './error.ts'
export { formatDiagnostic } from './format-diagnostic.ts'
export { countLines } from './position.ts'
export { describeSystemError } from './system-error.ts'
