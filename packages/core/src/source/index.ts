export { type Diagnostic, DiagnosticLog, type Severity } from './diagnostic.ts'
export { ArgotError, type ErrorCode, errorCodes } from './error.ts'
export { type FormatDiagnosticOptions, formatDiagnostic } from './format-diagnostic.ts'
export { countLines, type LineCounter, type Position, type Range } from './position.ts'
