import type { CallOutcome } from './execute-call.ts'

/** A call whose tool runs elsewhere: in the page, or in the head of a person. */
export interface ClientCall {
  toolCallId: string
  toolName: string
  input: unknown
  /** Aborted when the run is stopped. */
  signal: AbortSignal
}

/** What came of a call outside: an output for the model, or why there is none. */
export type ClientOutput = { output: unknown } | { errorText: string }

/** Runs a call of a client tool here. `undefined`: not now, and the run is parked until the output comes. */
export type RunClientTool = (call: ClientCall) => Promise<ClientOutput | undefined>

/** What others give for calls of client tools. The first output of a call counts. */
export class ClientOutputs {
  readonly #given: Map<string, ClientOutput> = new Map()
  readonly #used: Set<string> = new Set()
  readonly #run: RunClientTool | undefined
  readonly #waits: boolean
  readonly #waiting: Map<string, () => void> = new Map()
  #pending = 0

  constructor({ run, waits }: { run?: RunClientTool | undefined; waits: boolean }) {
    this.#run = run
    this.#waits = waits
  }

  /** Keeps the output of a call until the call wants it. False for a second one, and for what is not one. */
  give(toolCallId: string, output: unknown): boolean {
    if (this.#given.has(toolCallId) || this.#used.has(toolCallId) || !isOutput(output)) return false
    this.#given.set(toolCallId, output)
    this.#waiting.get(toolCallId)?.()
    return true
  }

  /** How many calls wait for an output. */
  get pending(): number {
    return this.#pending
  }

  /** What came of the call; undefined where nobody has said yet and the run does not wait. Never rejects. */
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
    const own = await this.#run?.(call).catch(() => undefined)
    if (own !== undefined && isOutput(own)) {
      this.#used.add(call.toolCallId)
      return own
    }
    if (!this.#waits || call.signal.aborted) return this.#use(call.toolCallId)
    await new Promise<void>(resolve => {
      const done = (): void => {
        call.signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.set(call.toolCallId, done)
      call.signal.addEventListener('abort', done)
    })
    this.#waiting.delete(call.toolCallId)
    return this.#use(call.toolCallId)
  }

  #use(toolCallId: string): ClientOutput | undefined {
    const output = this.#given.get(toolCallId)
    if (output === undefined) return undefined
    this.#given.delete(toolCallId)
    this.#used.add(toolCallId)
    return output
  }
}

function isOutput(value: unknown): value is ClientOutput {
  if (typeof value !== 'object' || value === null) return false
  return 'errorText' in value ? typeof value.errorText === 'string' : 'output' in value && value.output !== undefined
}

/** What others say goes the same way as what a tool of ours gives. */
export async function toOutcome(given: ClientOutput): Promise<Pick<CallOutcome & { type: 'output' }, 'output'>> {
  if ('errorText' in given) throw new Error(given.errorText)
  return { output: given.output }
}
