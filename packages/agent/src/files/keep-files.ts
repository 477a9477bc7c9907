/** What a tool is about to do to a file. */
export type PlannedWrite = {
  /** The real path. */
  real: string
  /** Where a moved file is now. */
  from?: string
} & (
  | { /** Everything that it will have; undefined if it goes. */ after: string | undefined }
  | { /** What comes after all that it has. */ added: string }
)

/** Called before files are changed. Resolves when the log has what they have now and what they will have. */
export type KeepFiles = (writes: readonly PlannedWrite[]) => Promise<void>
