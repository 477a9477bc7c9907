/**
 * What a call is about, as rules by argument see it: the paths that it uses as the model wrote them, the hosts that it
 * connects to, or the complete command line that it runs.
 */
export type Subject =
  | {
      kind: 'path'
      paths: readonly string[]
      /** Everything below these folders is used too. */
      tree?: boolean
    }
  | { kind: 'host'; hosts: readonly string[] }
  | { kind: 'command'; words: readonly string[] }
