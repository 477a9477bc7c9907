export const blockStates = ['input-streaming', 'input-available', 'output-available', 'output-error'] as const

export type BlockState = (typeof blockStates)[number]

/** What a block's chunks don't fully carry: its state, and fields unknown to Argot. */
export interface BlockRecord {
  toolCallId: string
  state: BlockState
  extra: Readonly<Record<string, unknown>>
}
