import { visibleText } from '@argot/core/stream'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useBrowserLayoutEffect } from '../../bodies/use-browser-layout-effect.ts'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import type { ApprovalLocale } from '../../locale/chat-locale.ts'
import { usePartLocale } from '../../locale/part-locale.ts'
import type { ChatApprovalCheck } from '../../types/index.ts'
import { Chevron, Glyph } from '../glyph.tsx'
import { hiddenLines, InputBody } from '../input-body.tsx'
import { AlwaysMenu } from './always-menu.tsx'
import { approvalFacts, type CardFacts, formatQuestion, plainVerb } from './approval-facts.ts'
import { type EditChoice, useEditChoice } from './edit-choice.ts'
import { EditInput } from './edit-input.tsx'
import { PartList } from './part-list.tsx'
import { isStale as isStaleCheck, useApprovalCheck } from './use-approval-check.ts'

/** This many lines of an input are shown until a reader asks for all of it. */
const SHOWN_LINES = 40
/** No key answers the card for this long after it has appeared, or after its first answer has changed. */
const SETTLE_MS = 500

export default function ApprovalCard({ view }: { view: ToolCallView }): ReactNode {
  const locale = usePartLocale()
  const { approval } = locale
  const titleId = useId()
  const appearedAt = useAppearedAt()
  const leftForm = useRef<LeftForm>(undefined)
  const { invocation: call, description, draft } = view
  const facts = approvalFacts(call, view.presentation)
  const question = formatQuestion(description, locale)
  const isWhole = draft.shown?.input === true
  const { input, toolName } = call
  const lineLimit = isWhole ? Number.POSITIVE_INFINITY : SHOWN_LINES
  const check = useApprovalCheck(view)
  const isStale = isStaleCheck(check)
  const changedAt = useChangedAt(isStale)
  const choice = useEditChoice(view, isStale)
  const parts = choice?.parts
  const { command } = facts
  const diff = check?.diff ?? facts.diff
  const { subject } = description
  const notes = useMemo(
    () => ({ command, diff: parts === undefined ? diff : facts.diff, parts, isStale, name: subject }),
    [command, diff, facts.diff, parts, isStale, subject],
  )
  const hidden = useMemo(() => hiddenLines(input, toolName, notes, lineLimit), [input, toolName, notes, lineLimit])
  const onWhole = (input: boolean) => view.setDraft({ shown: { ...draft.shown, input } })
  const name = [plainVerb(description, locale.call), description.subject].filter(text => text !== undefined).join(' ')
  const isEarly = () => performance.now() - Math.max(appearedAt.current, changedAt.current) < SETTLE_MS
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    // With Shift, it goes to the oldest question, even from inside a card, and answers nothing.
    if (event.shiftKey || event.altKey) return
    event.preventDefault()
    if (event.repeat || isEarly() || isChangedField(event.target) || draft.editing === true || isStale) return
    if (choice?.isEmpty !== true) view.answer?.(toAnswer(choice))
  }
  return (
    <div className="argot-hang">
      <Glyph stage="asking" />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold headings and boxes */}
      <div className="argot-approval" data-part="approval" role="group" aria-labelledby={titleId} onKeyDown={onKeyDown}>
        <div className="argot-approval-head">
          <p className="argot-why" data-part="why">
            {[approval.needsYou, facts.effect && approval.effects[facts.effect], isPermanent(facts) && approval.lasting]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <p className="argot-title" data-part="title" id={titleId}>
            {question}
            {parts !== undefined && <span className="argot-changes"> {approval.changeCount(parts.length)}</span>}
          </p>
          {facts.isForeign && (
            <p className="argot-note" data-part="note">
              {approval.foreign}
            </p>
          )}
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
          <EditInput view={view} schema={facts.schema} onLeave={() => (leftForm.current = 'edit')} />
        ) : (
          <>
            <InputBody
              input={input}
              toolName={toolName}
              notes={notes}
              lines={SHOWN_LINES}
              isWhole={isWhole}
              onWhole={onWhole}
              parts={
                choice && (
                  <PartList choice={choice} isFixed={view.answer === undefined} lines={lineLimit} onWhole={onWhole} />
                )
              }
            />
            {check !== undefined && <CheckNote check={check} didApply={facts.check?.problem === undefined} />}
            {[
              ...(isStale ? [] : describeChanges(facts, approval)),
              facts.boundary,
              facts.mustAsk,
              facts.note,
              facts.rule && approval.rule(facts.rule),
              choice?.isEmpty === true ? approval.nothingKept : undefined,
            ].map(
              text =>
                text !== undefined && (
                  <p key={text} className="argot-note" data-part="note">
                    {text}
                  </p>
                ),
            )}
            {draft.denying === true ? (
              <DenyReason view={view} name={name} isEarly={isEarly} onLeave={() => (leftForm.current = 'deny')} />
            ) : (
              <Answers
                view={view}
                name={name}
                hidden={hidden}
                always={facts.always}
                leftForm={leftForm}
                check={check}
                changedAt={changedAt}
                choice={choice}
              />
            )}
          </>
        )}
        {view.answer === undefined && (
          <p className="argot-note" data-part="note">
            {approval.shownOnly}
          </p>
        )}
        {view.answerError !== undefined && (
          <p className="argot-note argot-fail" data-part="note">
            {approval.refused(view.answerError)}
          </p>
        )}
      </div>
    </div>
  )
}

interface CheckNoteProps {
  check: ChatApprovalCheck
  /** The call would not have failed at the time of the question. */
  didApply: boolean
}

/** Whether the call still does what its question shows, and when that was checked. Only changes are announced. */
function CheckNote({ check, didApply }: CheckNoteProps): ReactNode {
  const { approval } = usePartLocale()
  const { state, at, problem = '' } = check
  const text =
    state === 'applies'
      ? approval.applies(at)
      : state === 'fails'
        ? approval.fails(visibleText(problem), didApply)
        : approval.changed
  const [announced, setAnnounced] = useState({ state, text: '' })
  if (announced.state !== state) setAnnounced({ state, text })
  return (
    <>
      <p className={state === 'applies' ? 'argot-note' : 'argot-note argot-fail'} data-argot-check={state}>
        {text}
      </p>
      <span className="argot-hidden" role="status">
        {announced.text}
      </span>
    </>
  )
}

/** What a yes would do to existing files, if no diff shows it. */
function describeChanges({ diff, changes }: CardFacts, { change }: ApprovalLocale): string[] {
  if (diff !== undefined) return []
  return changes
    .filter(({ operation }) => operation !== 'add')
    .map(({ operation, path, from, linesBefore }) => change(operation, from ?? path, path, linesBefore))
}

/** Programs, requests and deletions are shown as permanent. */
function isPermanent({ effect, changes }: CardFacts): boolean {
  return effect === 'exec' || effect === 'net' || changes.some(({ operation }) => operation === 'delete')
}

function toAnswer(choice: EditChoice | undefined): { approved: true; input?: unknown } {
  return choice?.input === undefined ? { approved: true } : { approved: true, input: choice.input }
}

/** The form that was just closed without an answer: the focus returns to the button that opened it. */
type LeftForm = 'deny' | 'edit' | undefined

interface AnswersProps {
  view: ToolCallView
  name: string
  hidden: number
  always: string | undefined
  leftForm: RefObject<LeftForm>
  check: ChatApprovalCheck | undefined
  /** When the first answer last changed. */
  changedAt: { readonly current: number }
  choice: EditChoice | undefined
}

function Answers({ view, name, hidden, always, leftForm, check, changedAt, choice }: AnswersProps): ReactNode {
  const { approval, card } = usePartLocale()
  const deny = useRef<HTMLButtonElement>(null)
  const edit = useRef<HTMLButtonElement>(null)
  useBrowserLayoutEffect(() => {
    const opener = leftForm.current === 'deny' ? deny : edit
    if (leftForm.current !== undefined) opener.current?.focus()
    leftForm.current = undefined
  }, [leftForm])
  const count = choice === undefined ? 0 : choice.parts.length - choice.leftOut.size
  const isPartial = choice !== undefined && choice.leftOut.size > 0
  const cut = hidden > 0 ? approval.approveCut(hidden) : approval.approve
  const approve = isPartial ? approval.approvePart(count, choice.parts.length, hidden) : cut
  const isFixed = view.answer === undefined
  const isStale = isStaleCheck(check)
  const [label, answer] = isStale
    ? [approval.denyStale, { approved: false, reason: approval.staleReason(check.problem ?? approval.changed) }]
    : [approve, toAnswer(choice)]
  return (
    <div className="argot-acts" data-part="actions">
      <button
        type="button"
        className="argot-button"
        data-kind="primary"
        aria-label={card.named(label, name)}
        disabled={isFixed || choice?.isEmpty === true}
        onClick={() => {
          // A press at this moment is meant for the previous answer.
          if (performance.now() - changedAt.current >= SETTLE_MS) view.answer?.(answer)
        }}
      >
        {label}
      </button>
      <button
        ref={deny}
        type="button"
        className="argot-button"
        aria-label={card.named(approval.deny, name)}
        disabled={isFixed}
        onClick={() => view.setDraft({ denying: true })}
      >
        {approval.deny}
      </button>
      {/* Both are about the whole input. */}
      {!isPartial && (
        <button
          ref={edit}
          type="button"
          className="argot-button"
          data-kind="plain"
          aria-label={card.named(approval.edit, name)}
          disabled={isFixed}
          onClick={() => view.setDraft({ editing: true })}
        >
          {approval.edit}
        </button>
      )}
      {!isStale && !isPartial && <AlwaysMenu view={view} rule={always} />}
    </div>
  )
}

interface DenyReasonProps {
  view: ToolCallView
  name: string
  isEarly: () => boolean
  onLeave: () => void
}

/** One line for the reason, which the model reads. Enter denies, with or without a text. */
function DenyReason({ view, name, isEarly, onLeave }: DenyReasonProps): ReactNode {
  const { approval, card } = usePartLocale()
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
      data-part="actions"
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
        data-part="field"
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
        aria-label={card.named(approval.denyNow, name)}
      >
        {approval.denyNow}
      </button>
      <button type="button" className="argot-button" data-kind="plain" onClick={cancel}>
        {approval.cancel}
      </button>
    </form>
  )
}

/** A field with a changed text that was not applied: no key answers from there. */
function isChangedField(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-changed]') !== null
}

function useAppearedAt(): { current: number } {
  const appearedAt = useRef(Number.POSITIVE_INFINITY)
  useEffect(() => {
    appearedAt.current = performance.now()
  }, [])
  return appearedAt
}

/** `-Infinity` if it never changed. */
function useChangedAt(value: boolean): { readonly current: number } {
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  const last = useRef(value)
  useBrowserLayoutEffect(() => {
    if (last.current !== value) changedAt.current = performance.now()
    last.current = value
  }, [value])
  return changedAt
}
