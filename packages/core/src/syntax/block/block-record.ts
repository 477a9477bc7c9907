/** The states that a block can give its call. */
export const blockStates = ['input-streaming', 'input-available', 'output-available', 'output-error'] as const

export type BlockState = (typeof blockStates)[number]

/** What a block said that its chunks do not all show: its state, and the fields that mean nothing to Argot. */
export interface BlockRecord {
  toolCallId: string
  state: BlockState
  extra: Readonly<Record<string, unknown>>
}
