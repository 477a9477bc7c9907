import type { CommandIdentity } from './identify-command.ts'

/** What the user is asked before a command of a document is offered to the model. */
export interface TrustQuestion {
  /** The document that asks, as a real path. */
  file: string
  /** The exact command line. */
  command: string
  /** What it really starts; undefined if there is no such program. */
  identity?: CommandIdentity | undefined
}
