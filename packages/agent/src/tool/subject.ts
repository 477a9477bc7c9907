/** For rules by argument. Paths are as the model wrote them; `words` are the complete command line. */
export type Subject =
  | {
      kind: 'path'
      paths: readonly string[]
      /** Includes everything below these folders. */
      tree?: boolean
    }
  | { kind: 'host'; hosts: readonly string[] }
  | { kind: 'command'; words: readonly string[] }
