import type { ToolInvocation } from '@argot/core'
import { type CallLocale, isSettled, waitsFor } from '@argot/core/stream'
import { type CallDescription, getDeciderName, plainLines } from '@argot/core/stream/internal'
import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react'
import { FromChunk } from '../bodies/component-chunk.tsx'
import { InlineCode } from '../bodies/inline-code.tsx'
import { OpenSourceContext } from '../bodies/open-source-context.ts'
import { useIsClient } from '../bodies/use-is-client.ts'
import type { ToolCallTarget } from '../hooks/call-target.ts'
import { AnnouncedContext, type CallSurroundings, CallsContext, RepairsContext } from '../hooks/calls-context.ts'
import { useOptionalChat } from '../hooks/chat-context.ts'
import { describe } from '../hooks/describe.ts'
import { type ToolCallView, type UseToolCallOptions, useCardView } from '../hooks/use-tool-call.ts'
import { useCardLocale } from '../locale/card-locale.ts'
import type { ClosedCardLocale } from '../locale/chat-locale.ts'
import type { Density } from '../types/density.ts'
import { isEdited } from './approval/is-edited.ts'
import { KeepFocus } from './keep-focus.tsx'
import { approvalCard, askUser, callBody, preloadParts, subRows, thumbnail } from './lazy-parts.ts'
import { SpokenResult } from './spoken-result.tsx'
import { currentLine, type SubRun } from './sub-run.ts'
import { ToolRow } from './tool-row.tsx'

export type ToolCardProps = ToolCallTarget &
  UseToolCallOptions & {
    /** It may be the only moving thing in its turn; true by default. */
    isTurning?: boolean | undefined
    /** The work of the agent that the call runs. */
    sub?: SubRun | undefined
    onRunAgain?: ((call: ToolInvocation) => void) | undefined
    /** `external`: you ask in your own dialog, and the card stays a row. By default the provider's setting. */
    approvals?: 'cards' | 'external' | undefined
    /** While its input streams, only this many of its newest lines are shown; all of it by default. */
    newestLines?: number | undefined
    footer?: ((call: ToolCallView) => ReactNode) | undefined
    /** By default that of its surroundings. */
    density?: Density | undefined
  }

/**
 * A tool call. Closed, it is one line that tells the story; open, it shows input and output; while it waits for a
 * person, it is the question. Inside a provider it takes `callKey`; anywhere else, a message's part.
 */
export function ToolCard(props: ToolCardProps): ReactNode {
  const view = useCardView(props, props)
  return view === undefined ? null : <CallCard {...props} view={view} />
}

/** For a standalone card, nothing is known about its surroundings. */
const alone: CallSurroundings = { sub: undefined, questions: [], goneSince: undefined }

export type CallCardProps = Pick<
  ToolCardProps,
  'isTurning' | 'sub' | 'onRunAgain' | 'newestLines' | 'approvals' | 'density' | 'footer'
> & {
  view: ToolCallView
}

/** The card of a call that the caller already follows. */
export function CallCard(props: CallCardProps): ReactNode {
  const { view, isTurning = true, sub: ownSub, onRunAgain, newestLines, density, footer } = props
  const locale = useCardLocale()
  const { call: words } = locale
  const bodyId = useId()
  const { invocation: call, description } = view
  const around = useContext(CallsContext)?.useSurroundings(view.scope, call.toolCallId) ?? alone
  const { questions } = around
  const sub: SubRun | undefined = ownSub ?? around.sub
  const openPane = usePane(view, sub)
  const stage = description.state
  const isOpen = view.isOpen() && openPane === undefined
  const isElsewhere = view.isAnsweredElsewhere
  const chat = useOptionalChat()
  const isExternal = (props.approvals ?? chat?.approvals) === 'external'
  const isQuestion = waitsFor(call) === 'answer' && view.addOutput !== undefined && !isElsewhere
  const isAsking = isOpen && stage === 'asking' && !isElsewhere && !isExternal
  const isAsked = isQuestion && !isExternal
  // Until the question is loaded, its row takes its place and opens nothing.
  const hasBody = !isAsking && !isAsked
  const [hasWords, setHasWords] = useState(false)
  useEffect(preloadParts, [])
  const repairs = useContext(RepairsContext)
  const tries = view.scope === undefined ? repairs.get(call.key) : undefined
  const rowWords = getRowWords(view, sub, around, tries, locale, isQuestion)
  const row = (
    <ToolRow
      description={rowWords.description}
      isOpen={isOpen}
      onToggle={openPane ?? (open => view.setOpen(open))}
      opensPane={openPane !== undefined}
      isAnswered={isElsewhere}
      isRepaired={tries !== undefined}
      controls={hasBody ? bodyId : undefined}
      isAgent={sub !== undefined}
      isTurning={isTurning && !(isOpen && sub !== undefined)}
      icon={view.presentation?.icon}
      isEdited={isEdited(call)}
      thumbnail={
        stage === 'done' &&
        mayBeImage(call.output) && (
          <FromChunk
            chunk={thumbnail}
            props={{ value: call.output, result: rowWords.result ?? description.result, onWords: setHasWords }}
          />
        )
      }
      hasWords={hasWords}
      result={rowWords.result}
      current={sub && currentLine(sub, words)}
      action={chooseAction(view, locale, onRunAgain)}
    />
  )
  const isAnnounced = useContext(AnnouncedContext)
  return (
    <KeepFocus stage={stage} isOpen={isOpen} callKey={view.callKey} density={density}>
      {!isAnnounced && <SpokenResult sentence={description.sentence} isOver={isSettled(call)} />}
      {isAsking ? (
        <FromChunk chunk={approvalCard} props={{ view }} fallback={row} />
      ) : isAsked ? (
        <FromChunk chunk={askUser} props={{ view }} fallback={row} />
      ) : (
        <>
          {row}
          {!isOpen && <Under view={view} isRepaired={tries !== undefined} />}
          {isOpen && (
            <div id={bodyId} className="argot-body" data-part="body">
              {sub === undefined ? (
                <FromChunk chunk={callBody} props={{ view, newestLines }} />
              ) : (
                <FromChunk chunk={subRows} props={{ sub, isTurning, Card: ToolCard, Nest: NestContext }} />
              )}
              {footer?.(view)}
            </div>
          )}
          {questions.length > 0 && (
            <FromChunk
              chunk={subRows}
              props={{ sub: isOpen ? sub : undefined, questions, isTurning, Card: ToolCard, Nest: NestContext }}
            />
          )}
        </>
      )}
    </KeepFocus>
  )
}

/** The row's text: the call's own, unless its surroundings are more urgent. */
function getRowWords(
  view: ToolCallView,
  sub: SubRun | undefined,
  { questions, goneSince }: CallSurroundings,
  tries: number | undefined,
  { card, call: words }: ClosedCardLocale,
  isQuestion: boolean,
): { description: CallDescription; result: string | undefined } {
  const { description, isAnsweredElsewhere } = view
  if (goneSince !== undefined && (description.state === 'running' || description.state === 'writing')) {
    return { description: lostDescription(view, words), result: card.noNewsSince(card.clock(goneSince)) }
  }
  if (tries !== undefined) return { description, result: card.repaired(tries) }
  if (isAnsweredElsewhere) return { description, result: card.answeredElsewhere }
  if (questions.length > 0 || isQuestion) {
    return { description: { ...description, state: 'asking', result: words.states.asking }, result: undefined }
  }
  return { description, result: sub && card.calls(sub.calls.length) }
}

/** A lost call was running when its last event arrived. */
function lostDescription({ invocation, presentation }: ToolCallView, words: CallLocale): CallDescription {
  const metadata = { argot: { code: 'TOOL_INTERRUPTED' } }
  const call: ToolInvocation = { ...invocation, state: 'output-error', resultProviderMetadata: metadata }
  return describe(call, words, presentation, undefined)
}

/** Stop for calls that take long, Run again for interrupted ones; undefined for all others. */
function chooseAction(
  { description, stop, invocation }: ToolCallView,
  { card }: ClosedCardLocale,
  onRunAgain: CallCardProps['onRunAgain'],
): ReactNode {
  const isLong = description.state === 'running' && (description.milliseconds ?? 0) > 60_000
  const [name, act] =
    isLong && stop !== undefined
      ? [card.stop, stop]
      : description.state === 'interrupted' && onRunAgain !== undefined
        ? [card.runAgain, () => onRunAgain(invocation)]
        : []
  if (name === undefined || act === undefined) return undefined
  return (
    <button
      type="button"
      className="argot-link argot-act"
      data-part="action"
      aria-label={card.named(name, description.subject ?? invocation.toolName)}
      onClick={act}
    >
      {name}
    </button>
  )
}

/** What must be visible without opening: an error's first lines, a denial's reason, a stopped call's last output. */
function Under({ view, isRepaired }: { view: ToolCallView; isRepaired: boolean }): ReactNode {
  const { card } = useCardLocale()
  const isClient = useIsClient()
  const { description, invocation: call } = view
  const { state, reason, result, sources } = description
  if ((state === 'failed' || state === 'broken') && reason !== undefined) {
    return (
      <p className="argot-under" data-part="detail" data-tone={isRepaired ? undefined : 'fail'}>
        {call.state === 'output-error' ? <InlineCode text={reason} /> : reason}
      </p>
    )
  }
  if (state === 'denied' && reason !== undefined) {
    return (
      <p className="argot-under" data-part="detail" data-words="">
        {call.state === 'output-error' ? <InlineCode text={reason} /> : `“${reason}”`}
      </p>
    )
  }
  if (state === 'interrupted') {
    return (
      <p className="argot-under" data-part="detail" data-words="">
        {result}
      </p>
    )
  }
  if (sources !== undefined) {
    return (
      <p className="argot-under argot-sources" data-part="detail">
        {sources.hosts.map(host => (
          <span key={host}>{host}</span>
        ))}
        {sources.more > 0 && `+${sources.more}`}
      </p>
    )
  }
  const line = lastPartial(call, state)
  if (line !== undefined) {
    return (
      <p className="argot-under" data-part="detail" data-one="">
        {line}
      </p>
    )
  }
  const { approval } = call
  const at = view.answeredAt ?? approval?.at
  const isNews = (state === 'approved' || state === 'running') && at !== undefined
  if (approval?.approved === true && (isNews || (state === 'done' && approval.by !== undefined))) {
    return (
      <p className="argot-under" data-part="detail" data-words="">
        {card.answeredBy(true, getDeciderName(call), at === undefined || !isClient ? undefined : card.clock(at))}
      </p>
    )
  }
  return null
}

const LONGEST_LINE = 200
const CHECKED_CHARACTERS = 1000

function lastPartial(call: ToolInvocation, state: string): string | undefined {
  if (state !== 'stopped' || typeof call.output !== 'string') return undefined
  const last = plainLines(call.output.slice(-CHECKED_CHARACTERS)).at(-1)
  return last?.slice(-LONGEST_LINE).toWellFormed()
}

/** Whether a card is among a sub-agent's rows. */
const NestContext = createContext(false)

/** One level of an agent's calls is drawn below its own; deeper levels are in the surrounding pane, if there is one. */
function usePane({ scope, invocation }: ToolCallView, sub: SubRun | undefined): (() => void) | undefined {
  const isNested = useContext(NestContext)
  const open = useContext(OpenSourceContext)
  if (!isNested || sub === undefined || scope === undefined || open === undefined) return undefined
  const { toolCallId, toolName, title } = invocation
  return () => open({ kind: 'run', name: title ?? toolName, scope, toolCallId })
}

/** Whether an output may contain a picture: a quick check, so that only likely ones are inspected closely. */
function mayBeImage(output: unknown): boolean {
  if (typeof output === 'string') return output.startsWith('data:image/')
  const one: unknown = Array.isArray(output) ? output[0] : output
  return (
    typeof one === 'object' &&
    one !== null &&
    /type|content|data|image|source|shot|b64/i.test(Object.keys(one).slice(0, 20).join())
  )
}
