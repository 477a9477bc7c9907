import type { Message } from '../../message/message.ts'
import type { MessageState } from './message-builder.ts'

/** The state of a builder with nothing left to do: a message that came as a whole. */
export function completeState({ parts, ...fields }: Message): MessageState {
  return {
    fields,
    slots: parts.map(part => ({ part })),
    calls: { orphans: [], superseded: [], counts: [] },
    superseded: [],
    step: 0,
    stepStart: 0,
    reset: false,
    length: 0,
    full: false,
    finished: true,
  }
}
