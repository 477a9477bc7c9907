/** What the turn that ends with a message did. */
export interface ChatTurnChanges {
  /** The last message of the turn, which may be another one. */
  message?: string
  /** False while its run works or waits. */
  isOver: boolean
  files: {
    path: string
    /** Where a moved file was. */
    from?: string
    operation: 'add' | 'update' | 'move' | 'delete'
    added?: number
    removed?: number
    /** In the unified format. */
    diff?: string
    /** `refused`: it can't be undone, for the reason. */
    state: 'ready' | 'undone' | 'refused'
    reason?: string
  }[]
  /** What an undo doesn't take back. */
  effects: { toolName: string; text: string }[]
  undoneAt?: string
}

/** What became of each file of a turn that was undone. */
export interface ChatTurnUndo {
  files: { path: string; outcome: 'restored' | 'already' | 'refused'; reason?: string }[]
  undoneAt: string
}
