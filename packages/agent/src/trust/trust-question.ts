import type { CommandIdentity } from './identify-command.ts'

/** The question before a document's command is offered to the model. */
export interface TrustQuestion {
  /** The document, as a real path. */
  file: string
  command: string
  /** What it really starts. Undefined if there is no such program. */
  identity?: CommandIdentity | undefined
}
