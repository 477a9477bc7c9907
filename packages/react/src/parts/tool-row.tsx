import type { CallDescription } from 'argot'
import {
  type ComponentType,
  createElement,
  isValidElement,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import { isPath } from '../bodies/is-path.ts'
import { MiddleCut } from '../bodies/middle-cut.tsx'
import { useLocale } from '../locale/locale-context.ts'
import { Chevron, Glyph } from './glyph.tsx'

export interface ToolRowProps {
  description: CallDescription
  isOpen: boolean
  onToggle: (open: boolean) => void
  /** The id of what it opens. */
  controls?: string | undefined
  isAgent?: boolean | undefined
  isTurning?: boolean | undefined
  /** In place of the glyph of a call that is done. */
  icon?: ComponentType | ReactElement | undefined
  /** In place of the result: a picture. */
  thumbnail?: ReactNode
  /** Marked after the subject: a person edited the input. */
  isEdited?: boolean | undefined
  /** In place of what the description says of the result. */
  result?: string | undefined
  /** In place of the subject, in words: what a sub-agent is doing. */
  current?: string | undefined
  /** A button beside the row: Stop, Run again. */
  action?: ReactNode
}

/** A call in one line: glyph, verb, subject, result, time. The whole row is one button, named by the sentence. */
export function ToolRow(props: ToolRowProps): ReactNode {
  const { description, isOpen, onToggle, controls, isAgent, isTurning, icon, isEdited, current, action } = props
  const { card } = useLocale()
  const { state, verb, isName, subject, sentence } = description
  const name = [sentence, current, isEdited === true ? card.edited : undefined].filter(said => said !== undefined)
  return (
    <div className="argot-line">
      <button
        type="button"
        className="argot-row"
        data-argot-summary=""
        aria-expanded={isOpen}
        aria-controls={isOpen ? controls : undefined}
        aria-label={name.join(', ')}
        onClick={() => onToggle(!isOpen)}
        onKeyDown={event => onArrow(event, isOpen, onToggle)}
      >
        {state === 'done' && icon !== undefined ? (
          <span className="argot-glyph">{isValidElement(icon) ? icon : createElement(icon as ComponentType)}</span>
        ) : (
          <Glyph stage={state} isAgent={isAgent} isTurning={isTurning} />
        )}
        <span className="argot-say">
          <span className="argot-verb" data-name={isName && isAgent !== true ? '' : undefined}>
            {verb}
          </span>
          {current === undefined ? (
            <Subject text={subject} />
          ) : (
            <span className="argot-subject" data-words="">
              {current}
            </span>
          )}
          {isEdited === true && <span className="argot-dim">{card.edited}</span>}
        </span>
        <Result {...props} />
        <Time {...props} />
        {action === undefined && <Chevron />}
      </button>
      {action}
    </div>
  )
}

function Subject({ text }: { text: string | undefined }): ReactNode {
  if (text === undefined) return null
  if (isPath(text)) return <MiddleCut className="argot-subject" text={text} />
  return <span className="argot-subject">{text}</span>
}

const resultTones: Readonly<Record<string, string>> = {
  failed: 'fail',
  broken: 'fail',
  asking: 'wait',
  running: 'live',
}

function Result({ description, thumbnail, result }: ToolRowProps): ReactNode {
  const { card } = useLocale()
  const { state, progress, duration } = description
  if (thumbnail) return <span className="argot-result">{thumbnail}</span>
  const text =
    result ??
    resultOf(description) ??
    (state === 'stopped' && duration !== undefined ? card.after(duration) : undefined)
  const tone = result === undefined ? resultTones[state] : undefined
  // A call that takes long says so here; what it prints is in the line below.
  const said = text ?? (state === 'running' && isStill(description) ? progress : undefined)
  return (
    <span className="argot-result" data-tone={said === undefined ? undefined : tone}>
      {said}
    </span>
  )
}

/** What an interrupted call says is a sentence: it has the line below. */
function resultOf({ state, result, progress }: CallDescription): string | undefined {
  if (state === 'writing') return progress
  return state === 'interrupted' ? undefined : result
}

/** "Still running" is a result; a line of preliminary output is not. */
export function isStill({ progress, milliseconds = 0 }: CallDescription): boolean {
  return progress !== undefined && milliseconds > 60_000
}

function Time({ description: { state, duration, milliseconds = 0 } }: ToolRowProps): ReactNode {
  const isShown = state === 'running' || (milliseconds >= 1000 && state !== 'stopped')
  return <span className="argot-time">{isShown ? duration : undefined}</span>
}

function onArrow(event: KeyboardEvent<HTMLElement>, isOpen: boolean, onToggle: (open: boolean) => void): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
  const isForward = (event.key === 'ArrowRight') === (getComputedStyle(event.currentTarget).direction !== 'rtl')
  event.preventDefault()
  if (isForward !== isOpen) onToggle(isForward)
}
