export interface ChangedFile {
  /** As tools show it. */
  path: string
  /** The earlier path of a moved file. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  /** The number of lines. Missing if the versions aren't stored or aren't text. */
  added?: number
  removed?: number
  diff?: string
  /**
   * `ready`: it can be undone. `undone`: it has its content from before the turn. `refused`: it can't be undone, see
   * `reason`.
   */
  state: 'ready' | 'undone' | 'refused'
  reason?: string
}

export interface ChatTurnChanges {
  /** The last message of the turn, which may be another one. */
  message?: string
  /** False while its run is working or waiting. */
  isOver: boolean
  files: ChangedFile[]
  /** Effects that an undo doesn't take back. */
  effects: { toolName: string; text: string }[]
  undoneAt?: string
}

export interface ChatTurnUndo {
  files: { path: string; outcome: 'restored' | 'already' | 'refused'; reason?: string }[]
  undoneAt: string
}
