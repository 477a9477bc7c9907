import {
  type Accumulator,
  accumulate,
  type Chunk,
  isSettled,
  isToolPart,
  type Message,
  messageToChunks,
  type ToolEffect,
  type ToolInvocation,
} from 'argot'
import { isBrokenOff } from '../model/message-steps.ts'
import type { Recovered } from '../transcript/transcript.ts'
import type { LoopCall } from './step-calls.ts'

/** The message of the assistant that a run goes on with, and what it left open. */
export class OpenMessage {
  readonly #message: Message
  readonly #recovered: Recovered | undefined

  constructor(message: Message, recovered: Recovered | undefined) {
    this.#message = message
    this.#recovered = recovered?.messageId === message.id ? recovered : undefined
  }

  get id(): string {
    return this.#message.id
  }

  get createdAt(): string | undefined {
    return this.#message.createdAt
  }

  /** How many steps it has. */
  get steps(): number {
    return this.#message.parts.filter(part => part.type === 'step-start').length
  }

  /** What it has become, without the step that broke off at its end: that one is made again, and the model has not said it. */
  shown(message: Message): Message {
    const { parts } = this.#message
    const start = parts.findLastIndex(part => part.type === 'step-start') + 1
    if (!isBrokenOff(this.#message, parts.slice(start))) return message
    return { ...message, parts: [...message.parts.slice(0, start), ...message.parts.slice(parts.length)] }
  }

  /** The message as a fold that goes on. */
  fold(now: () => number): Accumulator {
    const fold = accumulate({ now })
    for (const chunk of messageToChunks(this.#message)) {
      if (chunk.type !== 'finish' && chunk.type !== 'abort' && chunk.type !== 'error') fold.push(chunk)
    }
    return fold
  }

  /** The calls that nobody has answered, with the chunks that name them again for readers of this run. */
  calls(effectOf: (toolName: string) => ToolEffect | undefined): { call: LoopCall; chunks: Chunk[] }[] {
    return this.#message.parts
      .filter(isToolPart)
      .map(part => ({ invocation: part.toolInvocation as ToolInvocation, dynamic: part.type === 'dynamic-tool' }))
      .filter(({ invocation }) => !isSettled(invocation) && invocation.providerExecuted !== true)
      .map(({ invocation, dynamic }) => {
        const { toolCallId, toolName, input, title, approval, callProviderMetadata } = invocation
        const shared = {
          toolCallId,
          toolName,
          ...(dynamic ? { dynamic } : {}),
          ...(title === undefined ? {} : { title }),
        }
        const metadata = callProviderMetadata === undefined ? {} : { providerMetadata: callProviderMetadata }
        const interrupted = effectOf(toolName) !== 'read' && this.#mayHaveRun(invocation)
        return {
          call: {
            ...{ toolCallId, toolName, input },
            ...(title === undefined ? {} : { title }),
            ...(approval === undefined ? {} : { approvalId: approval.id }),
            ...(interrupted ? { interrupted } : {}),
          },
          chunks: [
            { type: 'tool-input-start', ...shared, ...metadata },
            { type: 'tool-input-available', ...shared, input, ...metadata },
          ],
        }
      })
  }

  /** With the log of the run it is known; without it, only a call that waits for an answer surely has not begun. */
  #mayHaveRun({ toolCallId, state }: ToolInvocation): boolean {
    if (this.#recovered !== undefined) return this.#recovered.started.has(toolCallId)
    return state !== 'approval-requested'
  }
}
