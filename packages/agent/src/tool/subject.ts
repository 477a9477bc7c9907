/**
 * What a call is about, for rules by argument: the paths as the model wrote them, the hosts that it connects to, or the
 * complete command line.
 */
export type Subject =
  | {
      kind: 'path'
      paths: readonly string[]
      /** Includes everything below these folders. */
      tree?: boolean
    }
  | { kind: 'host'; hosts: readonly string[] }
  | { kind: 'command'; words: readonly string[] }
