import type {
  AgentContext,
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable'
import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import type { ClientCall, ClientOutput, TrustQuestion } from '@argot/agent/internal'
import { isRecord, visibleLine } from '@argot/core/stream/internal'
import { describeWhole } from '../ask/describe-call.ts'
import { readQuestion } from '../ask/read-question.ts'
import { diffContent, textContent, toolKindByEffect } from './tool-call-fields.ts'

export class ClientQuestions {
  readonly #client: AgentContext
  readonly #sessionId: string
  readonly #cwd: string
  readonly #hasForms: boolean

  constructor(client: AgentContext, session: { id: string; cwd: string; hasForms: boolean }) {
    this.#client = client
    this.#sessionId = session.id
    this.#cwd = session.cwd
    this.#hasForms = session.hasForms
  }

  /** Asks whether a call may run. `id` is the client's id for the call. Undefined: no one has decided. */
  async approve(request: ApprovalRequest, id: string): Promise<ApprovalAnswer | undefined> {
    const toolCall: ToolCallUpdate = {
      toolCallId: id,
      title: getTitle(request),
      kind: toolKindByEffect(request.effect),
      status: 'pending',
      content: [
        textContent(describeQuestion(request)),
        ...(request.changes ?? []).flatMap(({ path, diff }) =>
          diff === undefined ? [] : diffContent({ path, diff }, this.#cwd),
        ),
      ],
      rawInput: request.input,
    }
    const options = permissionOptions(request, this.#hasForms)
    const { outcome, _meta } = await this.#request(toolCall, options, request.signal)
    const choice = findChosenOption(outcome, options)
    switch (choice) {
      case 'allow':
        return { approved: true }
      case 'always':
        return { approved: true, always: true }
      case 'reject':
      case 'never': {
        const reason = readReason(_meta) ?? ('_meta' in outcome ? readReason(outcome._meta) : undefined)
        return {
          approved: false,
          ...(reason !== undefined && { reason }),
          ...(choice === 'never' && { always: true }),
        }
      }
      case 'explain':
        return { approved: false, ...(await this.#askReason(request)) }
      default:
        return undefined
    }
  }

  async trust({ command, file, identity }: TrustQuestion, signal: AbortSignal): Promise<boolean | 'once'> {
    const lines = [
      `${visibleLine(file)} wants to start a program on this machine:`,
      `$ ${visibleLine(command)}`,
      identity === undefined ? 'The program was not found.' : `It starts ${visibleLine(identity.program)}.`,
      ...(identity?.files ?? []).map(({ path }) => `It uses the file ${visibleLine(path)}.`),
    ]
    const options: PermissionOption[] = [
      { optionId: 'reject', name: 'No', kind: 'reject_once' },
      { optionId: 'allow', name: 'Yes, for this session', kind: 'allow_once' },
      ...(identity === undefined
        ? []
        : [{ optionId: 'always', name: 'Yes, always for this document', kind: 'allow_always' } as const]),
    ]
    const toolCallId = `trust-${visibleLine(command).slice(0, 64)}`
    const toolCall: ToolCallUpdate = {
      toolCallId,
      title: `Start ${visibleLine(command).slice(0, 200)}?`,
      kind: 'execute',
      status: 'pending',
      content: [textContent(lines.join('\n'))],
      rawInput: { command },
    }
    const { outcome } = await this.#request(toolCall, options, signal).catch(() => ({
      outcome: { outcome: 'cancelled' } as const,
    }))
    const choice = findChosenOption(outcome, options)
    return choice === 'allow' ? 'once' : choice === 'always'
  }

  /** Asks for the output of `ask_user`. Undefined if the client has no forms or no one answered. */
  async answer(call: ClientCall): Promise<ClientOutput | undefined> {
    const question = readQuestion(call)
    if (question === undefined || !this.#hasForms) return undefined
    const { options } = question
    const reply = await this.#form(question.question, options, call.signal)
    if (reply === undefined) return undefined
    return reply === 'decline' ? { errorText: 'The user does not want to answer this.' } : { output: reply.text }
  }

  async param(name: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#hasForms) return undefined
    const reply = await this.#form(`Enter a value for the parameter ${visibleLine(name)}.`, [], signal)
    return reply === undefined || reply === 'decline' ? undefined : reply.text
  }

  async #askReason({ toolName, signal }: ApprovalRequest): Promise<{ reason?: string }> {
    const reply = await this.#form(`Why shouldn't ${visibleLine(toolName).slice(0, 128)} run?`, [], signal)
    return reply === undefined || reply === 'decline' || reply.text.trim() === '' ? {} : { reason: reply.text.trim() }
  }

  #request(
    toolCall: ToolCallUpdate,
    options: PermissionOption[],
    signal: AbortSignal,
  ): Promise<{ outcome: RequestPermissionOutcome; _meta?: Record<string, unknown> | null }> {
    const params = { sessionId: this.#sessionId, toolCall, options }
    return this.#client.request('session/request_permission', params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    })
  }

  async #form(
    message: string,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<{ text: string } | 'decline' | undefined> {
    const property = { type: 'string', title: 'Answer', ...(options.length > 0 && { enum: [...options] }) }
    const params = {
      mode: 'form',
      sessionId: this.#sessionId,
      message,
      requestedSchema: { type: 'object', properties: { answer: property }, required: ['answer'] },
    } as CreateElicitationRequest
    const reply = await this.#client.request('elicitation/create', params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    })
    if (reply.action === 'decline') return 'decline'
    if (reply.action !== 'accept' || !isRecord(reply.content)) return undefined
    const { answer } = reply.content
    if (typeof answer !== 'string' || (options.length > 0 && !options.includes(answer))) return undefined
    return { text: answer }
  }
}

function getTitle({ title, toolName, agents = [] }: ApprovalRequest): string {
  const name = visibleLine(title ?? toolName).slice(0, 128)
  return agents.length === 0 ? name : `${agents.map(one => visibleLine(one).slice(0, 64)).join(' › ')}: ${name}`
}

function describeQuestion(request: ApprovalRequest): string {
  const { boundary, mustAsk, rule, problem, foreign, interrupted, inReasoning } = request
  const facts = [
    foreign === true ? 'This call comes from the document. No model in this run made it.' : undefined,
    interrupted === true
      ? 'The process died during this call, so its effect is unknown. If you allow it, it runs again.'
      : undefined,
    inReasoning === true ? "This call is written inside the model's reasoning." : undefined,
    rule === undefined ? undefined : `The rule ${visibleLine(rule)} requires approval.`,
    boundary === undefined ? undefined : visibleLine(boundary),
    mustAsk === undefined ? undefined : visibleLine(mustAsk),
    problem === undefined ? undefined : `It would fail now: ${visibleLine(problem)}`,
  ].filter(fact => fact !== undefined)
  return [...facts, ...describeWhole(request).map(({ text }) => text)].join('\n')
}

function permissionOptions({ always, problem }: ApprovalRequest, hasForms: boolean): PermissionOption[] {
  return [
    {
      optionId: 'allow',
      name: problem === undefined ? 'Allow' : 'Allow, even though it would fail now',
      kind: 'allow_once',
    },
    ...(always === undefined || problem !== undefined
      ? []
      : [{ optionId: 'always', name: `Allow ${visibleLine(always)} for this turn`, kind: 'allow_always' } as const]),
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    ...(hasForms ? [{ optionId: 'explain', name: 'Reject with a reason…', kind: 'reject_once' } as const] : []),
    { optionId: 'never', name: 'Reject this tool for this turn', kind: 'reject_always' },
  ]
}

/** The option that the user chose. An outcome that names no offered option decides nothing. */
function findChosenOption(outcome: RequestPermissionOutcome, options: readonly PermissionOption[]): string | undefined {
  if (outcome.outcome !== 'selected') return undefined
  return options.find(({ optionId }) => optionId === outcome.optionId)?.optionId
}

/** ACP has no field for a reason. Clients can send one in the outcome's metadata. */
function readReason(meta: Record<string, unknown> | null | undefined): string | undefined {
  const reason = meta?.reason
  return typeof reason === 'string' && reason.trim() !== '' ? reason.trim().slice(0, 10_000) : undefined
}
