import type { CallOutcome } from './execute-call.ts'

/** A call to a tool that runs elsewhere: in the page, or by asking a person. */
export interface ClientCall {
  toolCallId: string
  toolName: string
  input: unknown
  signal: AbortSignal
}

export type ClientOutput = { output: unknown } | { errorText: string }

/** Runs a client tool's call here. `undefined`: not now; the run parks until the output arrives. */
export type RunClientTool = (call: ClientCall) => Promise<ClientOutput | undefined>

/** The outputs of client tools. Only the first output of a call is used. */
export class ClientOutputs {
  readonly #outputs: Map<string, ClientOutput> = new Map()
  readonly #usedIds: Set<string> = new Set()
  readonly #run: RunClientTool | undefined
  readonly #waits: boolean
  readonly #waiting: Map<string, () => void> = new Map()
  #pending = 0

  constructor({ run, waits }: { run?: RunClientTool | undefined; waits: boolean }) {
    this.#run = run
    this.#waits = waits
  }

  /** Stores a call's output until the call needs it. False for a second output, and for a malformed one. */
  give(toolCallId: string, output: unknown): boolean {
    if (this.#outputs.has(toolCallId) || this.#usedIds.has(toolCallId) || !isOutput(output)) return false
    this.#outputs.set(toolCallId, output)
    this.#waiting.get(toolCallId)?.()
    return true
  }

  get pending(): number {
    return this.#pending
  }

  /** The call's output. Undefined if there is none yet and the run doesn't wait. Never rejects. */
  async take(call: ClientCall): Promise<ClientOutput | undefined> {
    this.#pending++
    try {
      return await this.#take(call)
    } finally {
      this.#pending--
    }
  }

  async #take(call: ClientCall): Promise<ClientOutput | undefined> {
    const output = this.#use(call.toolCallId)
    if (output !== undefined) return output
    const localOutput = await this.#run?.(call).catch(() => undefined)
    if (localOutput !== undefined && isOutput(localOutput)) {
      this.#usedIds.add(call.toolCallId)
      return localOutput
    }
    if (!this.#waits || call.signal.aborted) return this.#use(call.toolCallId)
    await new Promise<void>(resolve => {
      const stopWaiting = (): void => {
        call.signal.removeEventListener('abort', stopWaiting)
        resolve()
      }
      this.#waiting.set(call.toolCallId, stopWaiting)
      call.signal.addEventListener('abort', stopWaiting)
    })
    this.#waiting.delete(call.toolCallId)
    return this.#use(call.toolCallId)
  }

  #use(toolCallId: string): ClientOutput | undefined {
    const output = this.#outputs.get(toolCallId)
    if (output === undefined) return undefined
    this.#outputs.delete(toolCallId)
    this.#usedIds.add(toolCallId)
    return output
  }
}

function isOutput(value: unknown): value is ClientOutput {
  if (typeof value !== 'object' || value === null) return false
  return 'errorText' in value ? typeof value.errorText === 'string' : 'output' in value && value.output !== undefined
}

/** Outputs from outside are processed like those of local tools. */
export async function toOutcome(output: ClientOutput): Promise<Pick<CallOutcome & { type: 'output' }, 'output'>> {
  if ('errorText' in output) throw new Error(output.errorText)
  return { output: output.output }
}
