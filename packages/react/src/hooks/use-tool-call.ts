import type { MessagePart, Role, ToolInvocation, ToolPart } from '@argot/core'
import { type CallLocale, waitsFor } from '@argot/core/stream'
import { type CallDescription, type MessageStatus, type MoreWords, pickDecision } from '@argot/core/stream/internal'
import { useContext, useMemo, useState } from 'react'
import { useCardLocale } from '../locale/card-locale.ts'
import { answeredFields, type CallAnswerInput, type CallDraft, CallUi, tidyAnswer } from '../store/call-ui.ts'
import { readToolPart } from '../store/read-part.ts'
import type { Subscribable } from '../store/topic.ts'
import type { ChatApprovalCheck, DefaultExpanded, ToolPresentation, ToolPresentationMap } from '../types/index.ts'
import type { ToolOwnerState } from '../types/tool-presentation.ts'
import type { CallSource, ToolCallTarget } from './call-target.ts'
import { CallsContext } from './calls-context.ts'
import { useOptionalChat } from './chat-context.ts'
import { describe, findPresentation } from './describe.ts'
import { useRunClock } from './use-run-clock.ts'
import { useVersion } from './use-version.ts'
import { useWords } from './words.ts'

export interface UseToolCallOptions {
  defaultExpanded?: DefaultExpanded | undefined
  /** Replaces the provider's. */
  toolPresentation?: ToolPresentationMap | undefined
  /**
   * Whether the tool has begun, if known. Otherwise a call with a complete input is shown as running, and an approved
   * call as running once its run continues.
   */
  started?: boolean | undefined
}

/** Everything that a card shows about a call, and its actions. */
export interface ToolCallView {
  /** Unique among the conversation's calls. */
  callKey: string
  messageId: string | undefined
  /** Identifies where the run that the call starts is stored: the message, or the run that made the call. */
  scope: string | undefined
  part: ToolPart
  /** The call, including an answer that is on its way. */
  invocation: ToolInvocation
  /** The part in the current frame, if the view itself changes only with its words: see `useCardView`. */
  newest: Subscribable<MessagePart | undefined> | undefined
  role: Role
  status: MessageStatus
  isMessageStreaming: boolean
  presentation: ToolPresentation | undefined
  /** The call in words, with a clock while it runs. */
  description: CallDescription
  /** Whether the card (no section) or a section is open. */
  isOpen(section?: ToolOwnerState['section']): boolean
  setOpen(open: boolean, section?: ToolOwnerState['section']): void
  draft: CallDraft
  setDraft(fields: CallDraft): void
  /** Undefined if no answer would be accepted. */
  answer: ((answer: CallAnswerInput) => void) | undefined
  addOutput: ((output: unknown) => void) | undefined
  /** Checks a waiting call against the current files; undefined if that is not possible. */
  check: ((signal: AbortSignal) => Promise<ChatApprovalCheck | undefined>) | undefined
  answerError: string | undefined
  /** When the question was first seen, and when it was seen to be answered, in milliseconds since 1970. */
  askedAt: number | undefined
  answeredAt: number | undefined
  /** Another client answered, or an answer is no longer awaited; this page does not know which answer it was. */
  isAnsweredElsewhere: boolean
  /** Ends the call's run; undefined if no run is active. */
  stop: (() => void) | undefined
}

/** Follows one call; undefined if it doesn't exist, or if the part is not a call. */
export function useToolCall(target: ToolCallTarget, options: UseToolCallOptions = {}): ToolCallView | undefined {
  return useView(target, options, false)
}

/**
 * The same for a card: while an input streams, the view changes only with the row's words. Components that show the
 * input itself follow `newest`, so that a token costs one text update and not a card.
 */
export function useCardView(target: ToolCallTarget, options: UseToolCallOptions): ToolCallView | undefined {
  return useView(target, options, true)
}

function useView(target: ToolCallTarget, options: UseToolCallOptions, isSteady: boolean): ToolCallView | undefined {
  const chat = useOptionalChat()
  const locale = useCardLocale()
  const map = options.toolPresentation ?? chat?.toolPresentation
  const more = useWords()
  const words = useMemo(
    () => (isSteady ? (call: ToolInvocation) => describeCallWords(call, locale.call, map, more) : undefined),
    [isSteady, locale, map, more],
  )
  // A mounted component never changes its provider, so the hooks are the same with every render.
  const inChat = useContext(CallsContext)?.useCall(target, words)
  const standalone = useStandaloneCall(target)
  const source = 'part' in target ? standalone : inChat
  const invocation = source && withAnswer(source.part.toolInvocation, source.ui)
  const isLive = source?.status === 'streaming' && invocation !== undefined && isRunning(invocation)
  const clock = useRunClock(isLive)
  const now = clock === undefined ? undefined : source && clock - source.ui.thinkingTime
  const started = options.started ?? (source?.hasBegun || undefined)
  const presentation = invocation && findPresentation(map, invocation.toolName)
  const description = useMemo(
    () => invocation && describe(invocation, locale.call, presentation, now, started, more),
    [invocation, locale, presentation, now, started, more],
  )
  if (source === undefined || invocation === undefined || description === undefined) return undefined
  const { ui, role, status } = source
  const { toolName } = invocation
  return {
    callKey: source.callKey,
    messageId: source.messageId,
    scope: source.scope,
    part: source.part,
    invocation,
    newest: source.newest,
    role,
    status,
    isMessageStreaming: status === 'streaming',
    presentation,
    description,
    isOpen: section => ui.isOpen({ toolName, role, section }, options.defaultExpanded),
    setOpen: (open, section) => ui.setOpen(section, open),
    draft: ui.draft,
    setDraft: fields => ui.setDraft(fields),
    answer: source.answer,
    addOutput: source.addOutput,
    check: source.check,
    answerError: ui.error,
    askedAt: ui.askedAt,
    answeredAt: ui.answeredAt,
    isAnsweredElsewhere: ui.isAnsweredElsewhere && isAsking(source.part),
    stop: source.stop,
  }
}

function describeCallWords(
  call: ToolInvocation,
  locale: CallLocale,
  map: ToolPresentationMap | undefined,
  more: MoreWords | undefined,
): string {
  const presentation = findPresentation(map, call.toolName)
  const { verb, subject, progress } = describe(call, locale, presentation, undefined, undefined, more)
  return JSON.stringify([verb, subject, progress])
}

function useStandaloneCall(target: ToolCallTarget): CallSource | undefined {
  const [ui] = useState(() => new CallUi())
  useVersion(ui)
  const part = 'part' in target ? readToolPart(target.part) : undefined
  if (part === undefined || !('part' in target)) return undefined
  const { addToolApprovalResponse, addToolOutput, message } = target
  const { toolCallId, toolName, state, approval, key } = part.toolInvocation
  const status = message?.status === 'streaming' ? 'streaming' : 'sent'
  const id = approval?.id ?? toolCallId
  if (approval !== undefined) ui.ask(approval.id)
  ui.visit(state, status === 'streaming')
  return {
    callKey: key,
    messageId: undefined,
    scope: undefined,
    part,
    newest: undefined,
    role: (message?.role ?? 'assistant') as Role,
    status,
    ui,
    hasBegun: false,
    answer:
      addToolApprovalResponse &&
      (answer => passAnswer(ui, answer, () => addToolApprovalResponse({ ...pickDecision(tidyAnswer(answer)), id }))),
    addOutput:
      addToolOutput &&
      (output => passAnswer(ui, { approved: true }, () => addToolOutput({ tool: toolName, toolCallId, output }))),
    stop: undefined,
  }
}

function passAnswer(ui: CallUi, answer: CallAnswerInput, give: () => unknown): void {
  ui.setAnswer(answer)
  const refused = (error: unknown): void =>
    ui.setAnswer(undefined, error instanceof Error ? error.message : 'The answer was not accepted.')
  try {
    const returned = give()
    if (returned instanceof Promise) returned.catch(refused)
  } catch (error) {
    refused(error)
  }
}

const overlays: WeakMap<ToolInvocation, { answer: CallAnswerInput; overlay: ToolInvocation }> = new WeakMap()

/** A call that asks, with the answer that is on its way. */
function withAnswer(call: ToolInvocation, { answer }: CallUi): ToolInvocation {
  if (answer === undefined || call.state !== 'approval-requested') return call
  const cached = overlays.get(call)
  if (cached?.answer === answer) return cached.overlay
  const overlay: ToolInvocation = { ...call, ...answeredFields(call, answer) }
  overlays.set(call, { answer, overlay })
  return overlay
}

function isAsking({ toolInvocation }: ToolPart): boolean {
  return waitsFor(toolInvocation) !== undefined
}

function isRunning({ state, preliminary }: ToolInvocation): boolean {
  return (
    state === 'input-available' ||
    state === 'approval-responded' ||
    (state === 'output-available' && preliminary === true)
  )
}
