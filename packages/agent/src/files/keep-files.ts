/** A change that a tool is about to make to a file. */
export type PlannedWrite = {
  real: string
  /** The current path of a moved file. */
  from?: string
} & (
  | { /** The complete new content; undefined if the file is removed. */ after: string | undefined }
  | { /** The text to append. */ added: string }
)

/** Called before files are changed. Resolves once the log has both their current and their future content. */
export type KeepFiles = (writes: readonly PlannedWrite[]) => Promise<void>
