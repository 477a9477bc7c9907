/** What the turn that ends with a message changed. */
export interface ChatTurnChanges {
  /** The last message of the turn, which may be another one. */
  message?: string
  /** False while its run is working or waiting. */
  isOver: boolean
  files: {
    path: string
    /** A moved file's previous path. */
    from?: string
    operation: 'add' | 'update' | 'move' | 'delete'
    added?: number
    removed?: number
    /** A unified diff. */
    diff?: string
    /** `refused`: it can't be undone; `reason` says why. */
    state: 'ready' | 'undone' | 'refused'
    reason?: string
  }[]
  /** What an undo doesn't take back. */
  effects: { toolName: string; text: string }[]
  undoneAt?: string
}

/** The result for each file of an undone turn. */
export interface ChatTurnUndo {
  files: { path: string; outcome: 'restored' | 'already' | 'refused'; reason?: string }[]
  undoneAt: string
}
