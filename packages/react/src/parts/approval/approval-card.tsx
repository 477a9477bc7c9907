import { visibleText } from '@argot/core/stream'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import type { ApprovalLocale } from '../../locale/chat-locale.ts'
import { usePartLocale } from '../../locale/locale-context.ts'
import type { ChatApprovalCheck } from '../../types/index.ts'
import { Chevron, Glyph } from '../glyph.tsx'
import { hiddenLines, InputBody } from '../input-body.tsx'
import { AlwaysMenu } from './always-menu.tsx'
import { approvalFacts, type CardFacts, plainVerb, questionOf } from './approval-facts.ts'
import { EditInput } from './edit-input.tsx'
import { useApprovalCheck } from './use-approval-check.ts'

/** This many lines of an input are shown before a reader asks for all of it. */
const SHOWN_LINES = 40
/** This many files that would be changed are named. */
const MOST_CHANGES = 5
/** For so long after the card has appeared no key answers it. */
const SETTLE_TIME = 500

/** A call that waits for a person: what it would do, in full, and the answers that there are. */
export default function ApprovalCard({ view }: { view: ToolCallView }): ReactNode {
  const locale = usePartLocale()
  const { approval } = locale
  const titleId = useId()
  const appeared = useAppeared()
  const left = useRef<LeftForm>(undefined)
  const { invocation: call, description, draft } = view
  const facts = approvalFacts(call, view.presentation)
  const question = questionOf(description, locale)
  const isWhole = draft.shown?.input === true
  const { input, toolName } = call
  const shown = isWhole ? Number.POSITIVE_INFINITY : SHOWN_LINES
  const check = useApprovalCheck(view, facts)
  const isStale = check?.state === 'fails' || check?.state === 'changed'
  const { command } = facts
  const diff = check?.diff ?? facts.diff
  const { subject } = description
  const said = useMemo(() => ({ command, diff, isStale, name: subject }), [command, diff, isStale, subject])
  const hidden = useMemo(() => hiddenLines(input, toolName, said, shown), [input, toolName, said, shown])
  const onWhole = (input: boolean) => view.setDraft({ shown: { ...draft.shown, input } })
  const name = [plainVerb(description, locale.call), description.subject].filter(text => text !== undefined).join(' ')
  const isEarly = () => performance.now() - appeared.current < SETTLE_TIME
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    // With Shift it goes to the oldest question, from inside a card too, and answers nothing.
    if (event.shiftKey || event.altKey) return
    event.preventDefault()
    if (event.repeat || isEarly() || isChangedField(event.target) || draft.editing === true || isStale) return
    view.answer?.({ approved: true })
  }
  return (
    <div className="argot-hang">
      <Glyph stage="asking" />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold headings and boxes */}
      <div className="argot-approval" role="group" aria-labelledby={titleId} onKeyDown={onKeyDown}>
        <div className="argot-approval-head">
          <p className="argot-why">
            {[approval.needsYou, facts.effect && approval.effects[facts.effect]].filter(Boolean).join(' · ')}
          </p>
          <p className="argot-title" id={titleId}>
            {question}
          </p>
          {facts.isForeign && <p className="argot-note">{approval.foreign}</p>}
          <button
            type="button"
            className="argot-fold"
            data-argot-summary=""
            aria-expanded
            aria-label={description.sentence}
            onClick={() => view.setOpen(false)}
          >
            <Chevron />
          </button>
        </div>
        {draft.editing === true ? (
          <EditInput view={view} schema={facts.schema} onLeave={() => (left.current = 'edit')} />
        ) : (
          <>
            <InputBody
              input={input}
              toolName={toolName}
              said={said}
              lines={SHOWN_LINES}
              isWhole={isWhole}
              onWhole={onWhole}
            />
            {check !== undefined && <CheckNote check={check} />}
            {[
              ...(isStale ? [] : lostIn(facts, approval)),
              facts.boundary,
              facts.mustAsk,
              facts.rule && approval.rule(facts.rule),
            ].map(
              text =>
                text !== undefined && (
                  <p key={text} className="argot-note">
                    {text}
                  </p>
                ),
            )}
            {draft.denying === true ? (
              <DenyReason view={view} name={name} isEarly={isEarly} onLeave={() => (left.current = 'deny')} />
            ) : (
              <Answers view={view} name={name} hidden={hidden} always={facts.always} left={left} check={check} />
            )}
          </>
        )}
        {view.answerError !== undefined && (
          <p className="argot-note argot-fail">{approval.refused(view.answerError)}</p>
        )}
      </div>
    </div>
  )
}

/** Whether the call still does what its question shows, and when that was looked at. */
function CheckNote({ check }: { check: ChatApprovalCheck }): ReactNode {
  const { approval } = usePartLocale()
  const { state, at, problem = '' } = check
  const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const text =
    state === 'applies'
      ? approval.applies(time)
      : state === 'fails'
        ? approval.fails(visibleText(problem))
        : approval.changed
  return (
    <p className={state === 'applies' ? 'argot-note' : 'argot-note argot-fail'} role="status" data-argot-check={state}>
      {text}
    </p>
  )
}

/** What a yes would take away, where no diff shows it. */
function lostIn({ diff, changes }: CardFacts, { change }: ApprovalLocale): string[] {
  if (diff !== undefined) return []
  return changes
    .filter(({ operation }) => operation !== 'add')
    .slice(0, MOST_CHANGES)
    .map(({ operation, path, from, linesBefore }) => change(operation, from ?? path, path, linesBefore))
}

/** The form that was just left without an answer: focus goes back to the button that opened it. */
type LeftForm = 'deny' | 'edit' | undefined

interface AnswersProps {
  view: ToolCallView
  name: string
  hidden: number
  always: string | undefined
  left: RefObject<LeftForm>
  check: ChatApprovalCheck | undefined
}

function Answers({ view, name, hidden, always, left, check }: AnswersProps): ReactNode {
  const { approval } = usePartLocale()
  const deny = useRef<HTMLButtonElement>(null)
  const edit = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const opener = left.current === 'deny' ? deny : edit
    if (left.current !== undefined) opener.current?.focus()
    left.current = undefined
  }, [left])
  const approve = hidden > 0 ? approval.approveCut(hidden) : approval.approve
  const isFixed = view.answer === undefined
  const isStale = check?.state === 'fails' || check?.state === 'changed'
  const [label, answer] = isStale
    ? [approval.denyStale, { approved: false, reason: approval.staleReason(check.problem ?? approval.changed) }]
    : [approve, { approved: true }]
  return (
    <div className="argot-acts">
      <button
        type="button"
        className="argot-button"
        data-kind="primary"
        aria-label={approval.named(label, name)}
        disabled={isFixed}
        onClick={() => view.answer?.(answer)}
      >
        {label}
      </button>
      <button
        ref={deny}
        type="button"
        className="argot-button"
        aria-label={approval.named(approval.deny, name)}
        disabled={isFixed}
        onClick={() => view.setDraft({ denying: true })}
      >
        {approval.deny}
      </button>
      <button
        ref={edit}
        type="button"
        className="argot-button"
        data-kind="plain"
        aria-label={approval.named(approval.edit, name)}
        disabled={isFixed}
        onClick={() => view.setDraft({ editing: true })}
      >
        {approval.edit}
      </button>
      {!isStale && <AlwaysMenu view={view} rule={always} />}
    </div>
  )
}

interface DenyReasonProps {
  view: ToolCallView
  name: string
  isEarly: () => boolean
  onLeave: () => void
}

/** One line for why not, which the model reads. Enter denies, with or without a text. */
function DenyReason({ view, name, isEarly, onLeave }: DenyReasonProps): ReactNode {
  const { approval } = usePartLocale()
  const field = useRef<HTMLInputElement>(null)
  const { draft } = view
  useEffect(() => field.current?.focus(), [])
  const cancel = () => {
    onLeave()
    view.setDraft({ denying: false })
  }
  return (
    <form
      className="argot-acts"
      onSubmit={event => {
        event.preventDefault()
        if (!isEarly()) view.answer?.({ approved: false, reason: draft.reason?.trim() })
      }}
      onKeyDown={event => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.stopPropagation()
        cancel()
      }}
    >
      <input
        ref={field}
        className="argot-field argot-grow"
        type="text"
        dir="auto"
        aria-label={approval.whyNot}
        placeholder={approval.whyNot}
        value={draft.reason ?? ''}
        data-changed={draft.reason ? '' : undefined}
        onChange={event => view.setDraft({ reason: event.target.value })}
      />
      <button
        type="submit"
        className="argot-button"
        data-kind="primary"
        aria-label={approval.named(approval.denyNow, name)}
      >
        {approval.denyNow}
      </button>
      <button type="button" className="argot-button" data-kind="plain" onClick={cancel}>
        {approval.cancel}
      </button>
    </form>
  )
}

/** A field whose text was changed and not applied: no key answers from there. */
function isChangedField(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-changed]') !== null
}

/** When this card came onto the page. */
function useAppeared(): { current: number } {
  const appeared = useRef(Number.POSITIVE_INFINITY)
  useEffect(() => {
    appeared.current = performance.now()
  }, [])
  return appeared
}
