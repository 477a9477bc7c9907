/** For a while, calls that stay inside a folder run without the policy's question. */
export interface Relaxation {
  /** A real path. Calls that name files elsewhere still lead to a question. */
  folder: string
  /** When it ends, in milliseconds since 1970. */
  until: number
}

/** Returns the current relaxation. A run checks before each call, so turning it off applies to the next one. */
export type FindRelaxation = () => Relaxation | undefined
