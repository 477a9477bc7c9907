import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk/unstable'
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type RunOptions,
  type RunResult,
  runDocument,
  type Store,
} from '@argot/agent'
import type { Message } from '@argot/core'
import { ClientQuestions } from './client-questions.ts'
import { openEditor } from './open-editor.ts'
import { readPrompt } from './read-prompt.ts'
import type { SessionSettings } from './session-settings.ts'
import { SessionUpdates } from './session-updates.ts'

export interface AcpSessionOptions {
  id: string
  cwd: string
  store: Store
  settings: SessionSettings
  client: AgentContext
  capabilities: ClientCapabilities
  /** The name that the transcript records for answers. */
  person: string
  run: RunOptions
  notice: (text: string) => void
}

/** A conversation with a client: one document, with at most one run at a time. */
export class AcpSession {
  readonly id: string
  readonly cwd: string
  readonly store: Store
  readonly settings: SessionSettings
  readonly #client: AgentContext
  readonly #questions: ClientQuestions
  readonly #updates: SessionUpdates
  readonly #run: RunOptions
  readonly #person: string
  readonly #notice: (text: string) => void
  /** Questions whose call was already sent to the client, and callbacks that wait for that. */
  readonly #shown: Set<string> = new Set()
  readonly #waiting: Map<string, () => void> = new Map()
  #stop: AbortController | undefined
  #ending: Promise<unknown> = Promise.resolve()

  constructor(options: AcpSessionOptions) {
    const { id, cwd, store, settings, client, capabilities, person, run, notice } = options
    this.id = id
    this.cwd = cwd
    this.store = store
    this.settings = settings
    this.#client = client
    this.#questions = new ClientQuestions(client, { id, cwd, hasForms: hasForms(capabilities) })
    this.#updates = new SessionUpdates(cwd)
    this.#run = { ...run, editor: openEditor(client, id, capabilities) }
    this.#person = person
    this.#notice = notice
  }

  async show(messages: readonly Message[]): Promise<void> {
    for (const message of messages) await this.#send(this.#updates.replay(message))
  }

  /** Registers a document's messages without showing them, so that ids stay unique. */
  skip(messages: readonly Message[]): void {
    for (const message of messages) this.#updates.replay(message)
  }

  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    if (this.#stop !== undefined) {
      throw RequestError.invalidRequest(
        undefined,
        'This session is still answering. Cancel the prompt, or wait until it finishes.',
      )
    }
    const input = readPrompt(blocks)
    const stop = new AbortController()
    this.#stop = stop
    const answering = this.#answer(input, stop.signal)
    this.#ending = answering.catch(() => {})
    try {
      return await answering
    } finally {
      this.#stop = undefined
    }
  }

  cancel(): void {
    this.#stop?.abort(new Error('The client cancelled the prompt.'))
  }

  /** Stops the current run and waits until the document is written. */
  async close(): Promise<void> {
    this.cancel()
    await this.#ending
  }

  async #answer(input: Message, signal: AbortSignal): Promise<PromptResponse> {
    const { model, syntax, mode } = this.settings
    const run = runDocument(this.id, {
      ...this.#run,
      store: this.store,
      cwd: this.cwd,
      ...(model !== undefined && { model }),
      ...(syntax !== undefined && { syntax }),
      approve: mode,
      input,
      inputDenies: true,
      ask: request => this.#ask(request),
      runClientTool: call => this.#questions.answer(call),
      trust: question => this.#questions.trust(question, signal),
      askParam: name => this.#questions.param(name, signal),
      notice: this.#notice,
      signal,
    })
    for await (const chunk of run) {
      await this.#send(this.#updates.push(chunk))
      if (chunk.type === 'tool-approval-request') this.#sawQuestion(chunk.approvalId ?? chunk.toolCallId)
    }
    return toPromptResponse(await run.result)
  }

  async #ask(request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
    // A call inside an agent isn't a call of this session, so the client doesn't know it.
    const isOwn = (request.agents ?? []).length === 0
    if (isOwn && !this.#shown.has(request.approvalId)) {
      await new Promise<void>(resolve => {
        this.#waiting.set(request.approvalId, resolve)
        request.signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    if (request.signal.aborted) return undefined
    const id = isOwn ? this.#updates.findCallId(request.toolCallId) : undefined
    const answer = await this.#questions.approve(request, id ?? request.approvalId).catch(() => undefined)
    return answer && { ...answer, by: this.#person, at: Date.now() }
  }

  #sawQuestion(approvalId: string): void {
    this.#shown.add(approvalId)
    this.#waiting.get(approvalId)?.()
    this.#waiting.delete(approvalId)
  }

  async #send(updates: readonly SessionUpdate[]): Promise<void> {
    for (const update of updates) await this.#client.notify('session/update', { sessionId: this.id, update })
  }
}

export function hasForms({ elicitation }: ClientCapabilities): boolean {
  return elicitation?.form !== undefined && elicitation.form !== null
}

/** Throws if the run failed and the protocol has no stop reason for that. */
function toPromptResponse(result: RunResult): PromptResponse {
  const { usage } = result
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage ?? {}
  return {
    stopReason: stopReason(result),
    ...(usage !== undefined && { usage: { inputTokens, outputTokens, totalTokens } }),
  }
}

function stopReason(result: RunResult): StopReason {
  switch (result.status) {
    case 'stopped':
      return 'cancelled'
    // The client left a question open. The next prompt denies it and gives the reason.
    case 'parked':
      return 'end_turn'
    case 'done':
      return result.finishReason === 'length'
        ? 'max_tokens'
        : result.finishReason === 'content-filter'
          ? 'refusal'
          : 'end_turn'
    case 'failed':
      if (result.code === 'RUN_MAX_STEPS') return 'max_turn_requests'
      if (result.finishReason === 'length') return 'max_tokens'
      if (result.finishReason === 'content-filter') return 'refusal'
      throw new RequestError(-32603, result.error, { code: result.code })
  }
}
