/** A change that a tool is about to make to a file. */
export type PlannedWrite = {
  real: string
  /** The current path of a moved file. */
  from?: string
} & (
  | { /** The complete new content; undefined if the file is removed. */ after: string | undefined }
  | { /** The text to append. */ added: string }
)

/**
 * Called before files are changed. Resolves once their current and their future content is stored, and the log has the
 * hashes.
 */
export type KeepFiles = (writes: readonly PlannedWrite[]) => Promise<void>
