import { ArgotError, type Diagnostic, type ErrorCode } from '@argot/core'

export class BadDocument extends ArgotError {
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[], code: ErrorCode = 'RUN_BAD_DOCUMENT') {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const words = errors.length === 1 ? 'an error' : `${errors.length} errors`
    super(code, `The document has ${words}, so it didn't run: ${errors[0]?.message ?? ''}`)
    this.diagnostics = diagnostics
  }
}
