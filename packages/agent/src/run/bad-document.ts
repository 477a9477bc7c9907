import { ArgotError, type Diagnostic } from 'argot'

/** The document, or something that it refers to, has errors. */
export class BadDocument extends ArgotError {
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    const count = diagnostics.filter(({ severity }) => severity === 'error').length
    const words = count === 1 ? 'an error' : `${count} errors`
    super('RUN_BAD_DOCUMENT', `The document has ${words} and was not run: ${diagnostics[0]?.message ?? ''}`)
    this.diagnostics = diagnostics
  }
}
