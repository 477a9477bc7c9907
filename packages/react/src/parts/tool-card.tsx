import { type CallDescription, type CallLocale, isSettled, type ToolInvocation } from 'argot'
import { type ReactNode, useEffect, useId } from 'react'
import { FromChunk } from '../bodies/chunk.tsx'
import { lastLines } from '../bodies/cut-text.ts'
import { describe } from '../hooks/describe.ts'
import { type ToolCallTarget, type ToolCallView, type UseToolCallOptions, useCardView } from '../hooks/use-tool-call.ts'
import type { PartLocale } from '../locale/chat-locale.ts'
import { usePartLocale } from '../locale/locale-context.ts'
import type { DefaultExpanded } from '../types/index.ts'
import { isEdited } from './is-edited.ts'
import { isQuestion } from './is-question.ts'
import { KeepFocus } from './keep-focus.tsx'
import { approvalCard, askUser, callBody, preloadParts, thumbnail } from './lazy-parts.ts'
import { mayBeImage } from './may-be-image.ts'
import { currentLine, type SubRun } from './sub-run.ts'
import { isStill, ToolRow } from './tool-row.tsx'
import { useLostSince } from './use-lost-since.ts'
import { useSubRun } from './use-sub-run.ts'

export type ToolCardProps = ToolCallTarget &
  UseToolCallOptions & {
    /** It may be the one moving thing of its turn; true by default. */
    isTurning?: boolean | undefined
    /** What the agent does that the call runs. */
    sub?: SubRun | undefined
    /** Makes the call again, where that can be done. */
    onRunAgain?: ((call: ToolInvocation) => void) | undefined
    /** While its input streams, only so many of its newest lines are shown; all of it by default. */
    newestLines?: number | undefined
  }

/**
 * A tool call. Closed, it is one line that tells the story; open, it shows input and output; while it waits for a person,
 * it is the question. Inside a provider it takes `callKey`; anywhere else the part of a message.
 */
export function ToolCard(props: ToolCardProps): ReactNode {
  const view = useCardView(props, props)
  return view === undefined ? null : <CallCard {...props} view={view} />
}

export type CallCardProps = Pick<ToolCardProps, 'isTurning' | 'sub' | 'onRunAgain' | 'newestLines'> & {
  view: ToolCallView
}

/** The card of a call that somebody else follows. */
export function CallCard({ view, isTurning = true, sub: given, onRunAgain, newestLines }: CallCardProps): ReactNode {
  const locale = usePartLocale()
  const { card, call: words } = locale
  const bodyId = useId()
  const lostSince = useLostSince()
  const { invocation: call, description } = view
  const followed = useSubRun(view.messageId, call.toolCallId)
  const sub = given ?? followed
  const stage = description.state
  const isOpen = view.isOpen()
  const isLost = lostSince !== undefined && (stage === 'running' || stage === 'writing')
  const isAsking = isOpen && stage === 'asking'
  const isAsked = isQuestion(call) && view.addOutput !== undefined
  // Until the question is loaded, its row stands for it and opens nothing.
  const hasBody = !isAsking && !isAsked
  useEffect(preloadParts, [])
  const row = (
    <ToolRow
      description={isLost ? lostDescription(view, words) : description}
      isOpen={isOpen}
      onToggle={open => view.setOpen(open)}
      controls={hasBody ? bodyId : undefined}
      isAgent={sub !== undefined}
      isTurning={isTurning && !(isOpen && sub !== undefined)}
      icon={view.presentation?.icon}
      isEdited={isEdited(call)}
      thumbnail={
        stage === 'done' &&
        mayBeImage(call.output) && <FromChunk chunk={thumbnail} props={{ value: call.output, name: call.toolName }} />
      }
      result={isLost ? card.noNewsSince(card.clock(lostSince)) : sub && card.calls(sub.calls.length)}
      current={sub && currentLine(sub, words)}
      action={actionOf(view, locale, onRunAgain)}
    />
  )
  return (
    <KeepFocus stage={stage} isOpen={isOpen} callKey={view.callKey}>
      {isAsking ? (
        <FromChunk chunk={approvalCard} props={{ view }} fallback={row} />
      ) : isAsked ? (
        <FromChunk chunk={askUser} props={{ view }} fallback={row} />
      ) : (
        <>
          {row}
          {!isOpen && <Under view={view} />}
          {isOpen && (
            <div id={bodyId} className="argot-body">
              {sub === undefined ? (
                <FromChunk chunk={callBody} props={{ view, newestLines }} />
              ) : (
                <SubRows sub={sub} isTurning={isTurning} />
              )}
            </div>
          )}
        </>
      )}
    </KeepFocus>
  )
}

/** A call of which nothing is heard any more was running when it was last heard of. */
function lostDescription({ invocation, presentation }: ToolCallView, words: CallLocale): CallDescription {
  const metadata = { argot: { code: 'TOOL_INTERRUPTED' } }
  const call: ToolInvocation = { ...invocation, state: 'output-error', resultProviderMetadata: metadata }
  return describe(call, words, presentation, undefined)
}

/** Stop for what takes long, Run again for what was interrupted; undefined for all others. */
function actionOf(
  { description, stop, invocation }: ToolCallView,
  { card, approval }: PartLocale,
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
      aria-label={approval.named(name, description.subject ?? invocation.toolName)}
      onClick={act}
    >
      {name}
    </button>
  )
}

/** What must be seen without opening: the first lines of an error, the reason of a denial, what a call says meanwhile. */
function Under({ view }: { view: ToolCallView }): ReactNode {
  const { card } = usePartLocale()
  const { description, invocation: call } = view
  const { state, reason, progress, result } = description
  if ((state === 'failed' || state === 'broken') && reason !== undefined) {
    return (
      <p className="argot-under" data-tone="fail">
        {reason}
      </p>
    )
  }
  if (state === 'denied' && reason !== undefined) {
    return (
      <p className="argot-under" data-words="">
        “{reason}”
      </p>
    )
  }
  if (state === 'interrupted') {
    return (
      <p className="argot-under" data-words="">
        {result}
      </p>
    )
  }
  const line = state === 'running' && !isStill(description) ? progress : lastPartial(call, state)
  if (line !== undefined) {
    return (
      <p className="argot-under" data-one="">
        {line}
      </p>
    )
  }
  const { approval } = call
  if (state === 'done' && approval?.approved === true && approval.by !== undefined) {
    return (
      <p className="argot-under" data-words="">
        {card.answeredBy(true, approval.by, undefined)}
      </p>
    )
  }
  return null
}

/** The last line that a call had printed when it was stopped. */
function lastPartial(call: ToolInvocation, state: string): string | undefined {
  if (state !== 'stopped' || typeof call.output !== 'string') return undefined
  return lastLines(call.output, 1, 200) || undefined
}

/** The calls of a sub-agent, one level deep. */
function SubRows({ sub, isTurning }: { sub: SubRun; isTurning: boolean }): ReactNode {
  return (
    <div className="argot-nest">
      {sub.calls.map((call, index) => (
        <ToolCard
          key={call.key}
          part={{ type: 'dynamic-tool', toolInvocation: call }}
          message={isSettled(call) ? undefined : streaming}
          isTurning={isTurning && index === sub.calls.length - 1}
          defaultExpanded={closed}
        />
      ))}
    </div>
  )
}

const streaming = { status: 'streaming' }
/** The rows of a sub-agent stay closed until somebody opens them. */
const closed: DefaultExpanded = { '*': owner => (owner.section === undefined ? false : undefined) }
