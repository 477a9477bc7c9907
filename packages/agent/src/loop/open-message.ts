import { isDeepStrictEqual } from 'node:util'
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

  /** When it began, where the document says so. */
  get createdAt(): string | undefined {
    return this.#message.createdAt
  }

  /** How many steps it has. */
  get steps(): number {
    return this.#message.parts.filter(part => part.type === 'step-start').length
  }

  /** How many calls each id has: a model may use one again. */
  get uses(): Map<string, number> {
    const uses = new Map<string, number>()
    for (const part of this.#message.parts) if (isToolPart(part)) countUse(uses, part.toolInvocation.toolCallId)
    return uses
  }

  /** The message as a fold that goes on; what it says already keeps its times. */
  fold(now: () => number): Accumulator {
    let time: number | undefined
    const fold = accumulate({ now: () => time ?? now() })
    const { createdAt, parts } = this.#message
    const calls = parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
    let next = 0
    for (const chunk of messageToChunks(this.#message)) {
      if (chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error') continue
      if (chunk.type === 'tool-input-start') time = calls[next++]?.startedAt
      else if ('toolCallId' in chunk) time = calls[next - 1]?.endedAt
      else time = createdAt === undefined ? undefined : Date.parse(createdAt)
      fold.push(chunk)
    }
    time = undefined
    return fold
  }

  /** The calls that nobody has answered, with the chunks that name them again for readers of this run. */
  calls(effectOf: (toolName: string) => ToolEffect | undefined): { call: LoopCall; chunks: Chunk[] }[] {
    const uses = new Map<string, number>()
    return this.#message.parts
      .filter(isToolPart)
      .map(part => ({
        invocation: part.toolInvocation as ToolInvocation,
        use: countUse(uses, part.toolInvocation.toolCallId),
        dynamic: part.type === 'dynamic-tool',
      }))
      .filter(({ invocation }) => !isSettled(invocation) && invocation.providerExecuted !== true)
      .map(({ invocation, use, dynamic }) => {
        const { toolCallId, toolName, input: written, title, approval, callProviderMetadata } = invocation
        const shared = {
          toolCallId,
          toolName,
          ...(dynamic ? { dynamic } : {}),
          ...(title === undefined ? {} : { title }),
        }
        const metadata = callProviderMetadata === undefined ? {} : { providerMetadata: callProviderMetadata }
        const input = this.#recovered?.inputs?.get(toolCallId) ?? written
        const interrupted = effectOf(toolName) !== 'read' && this.#mayHaveRun(invocation)
        return {
          call: {
            ...{ toolCallId, toolName, input, use },
            ...(title === undefined ? {} : { title }),
            ...(approval === undefined ? {} : { approvalId: approval.id }),
            ...(interrupted ? { interrupted } : {}),
            ...(isDeepStrictEqual(input, written) ? {} : { edited: true }),
          },
          chunks: [
            { type: 'tool-input-start', ...shared, ...metadata },
            { type: 'tool-input-available', ...shared, input: written, ...metadata },
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

/** The number of this use of an id, from 1 on. */
export function countUse(uses: Map<string, number>, toolCallId: string): number {
  const use = (uses.get(toolCallId) ?? 0) + 1
  uses.set(toolCallId, use)
  return use
}
