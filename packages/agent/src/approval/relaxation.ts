/** For a while, calls that stay inside a folder run without the question that the policy would ask about them. */
export interface Relaxation {
  /** A real path. Calls that name files elsewhere are asked about as always. */
  folder: string
  /** When it ends, in milliseconds since 1970. */
  until: number
}

/** Gives what holds at this moment. A run asks before each call, so that turning it off applies to the next one. */
export type FindRelaxation = () => Relaxation | undefined
