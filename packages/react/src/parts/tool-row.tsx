import type { CallDescription } from '@argot/core/stream/internal'
import {
  type ComponentType,
  createElement,
  isValidElement,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import { isPath } from '../bodies/is-path.ts'
import { MiddleCut } from '../bodies/text/middle-cut.tsx'
import { useCardLocale } from '../locale/card-locale.ts'
import type { ClosedCardLocale } from '../locale/chat-locale.ts'
import { Chevron, Glyph } from './glyph.tsx'

export interface ToolRowProps {
  description: CallDescription
  isOpen: boolean
  onToggle: (open: boolean) => void
  controls?: string | undefined
  isAgent?: boolean | undefined
  isTurning?: boolean | undefined
  /** Replaces a finished call's glyph. */
  icon?: ComponentType | ReactElement | undefined
  /** Replaces the result: a picture. */
  thumbnail?: ReactNode
  /** The thumbnail has turned out to be the result in words. */
  hasWords?: boolean | undefined
  /** Marked after the subject: a person edited the input. */
  isEdited?: boolean | undefined
  /** Replaces the description's result. */
  result?: string | undefined
  /** Replaces the subject: a sub-agent's current activity in words. */
  current?: string | undefined
  /** It opens a pane, and nothing below itself. */
  opensPane?: boolean | undefined
  /** It asked, and no longer waits for an answer. */
  isAnswered?: boolean | undefined
  isRepaired?: boolean | undefined
  /** A button next to the row: Stop, Run again. */
  action?: ReactNode
}

/** A call in one line: glyph, verb, subject, result, time. The whole row is one button, named by its text. */
export function ToolRow(props: ToolRowProps): ReactNode {
  const { description, isOpen, onToggle, controls, isAgent, isTurning, icon, isEdited, current, action } = props
  const locale = useCardLocale()
  const { state, verb, isName, subject, done, link } = description
  const result = getVisibleResult(props, locale)
  const time = getVisibleTime(description)
  const live = props.result === undefined ? liveLine(description, locale) : undefined
  return (
    <div className="argot-line" data-link={link === undefined ? undefined : ''}>
      <button
        type="button"
        className="argot-row"
        data-part="row"
        data-argot-summary=""
        aria-expanded={props.opensPane === true ? undefined : isOpen}
        aria-haspopup={props.opensPane === true ? 'dialog' : undefined}
        aria-controls={isOpen ? controls : undefined}
        aria-label={formatName(props, props.thumbnail && !props.hasWords ? [time, result] : [result, time], locale)}
        onClick={() => onToggle(!isOpen)}
        onKeyDown={event => onArrow(event, isOpen, onToggle)}
      >
        {state === 'done' && icon !== undefined ? (
          <span className="argot-glyph" data-part="icon">
            {isValidElement(icon) ? icon : createElement(icon as ComponentType)}
          </span>
        ) : (
          <Glyph
            stage={props.isAnswered === true ? 'queued' : state}
            isAgent={isAgent}
            isTurning={isTurning}
            isQuiet={props.isRepaired}
          />
        )}
        <span className="argot-say">
          <span className="argot-verb" data-part="verb" data-name={isName && isAgent !== true ? '' : undefined}>
            {verb}
          </span>{' '}
          <span className="argot-about">
            {current === undefined ? (
              <Subject text={subject} />
            ) : (
              <span className="argot-subject" data-part="subject" data-words="">
                {current}
              </span>
            )}
            {isEdited === true && <span className="argot-dim"> {locale.card.edited}</span>}
            {live !== undefined && <span className="argot-now" data-line={live} />}
          </span>
        </span>{' '}
        <span className="argot-result" data-part="result" data-tone={result === undefined ? undefined : getTone(props)}>
          {props.thumbnail || result}
        </span>{' '}
        <span className="argot-time" data-part="time">
          {time}
        </span>
        {action === undefined && <Chevron />}
      </button>
      {link !== undefined && <OutLink address={link} />}
      {done !== undefined && props.result === undefined && (
        <svg className="argot-hair" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width={done} height="1" />
        </svg>
      )}
      {action}
    </div>
  )
}

/** Links to a call's result. Its host and path are visible before the click: the tool chose the address. */
function OutLink({ address }: { address: string }): ReactNode {
  const { card } = useCardLocale()
  const { host, pathname, search, hash } = new URL(address)
  const place = `${host}${pathname === '/' ? '' : pathname}${search}${hash}`
  return (
    <a
      className="argot-out"
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      title={place}
      data-host={host}
      aria-label={card.openLink(place)}
    >
      ↗
    </a>
  )
}

/**
 * The row's sentence, with the word for its state unless the sentence already has it. It begins with the visible texts,
 * in their order: speech input finds a button by what it shows.
 */
function formatName(
  { description, current, isEdited, isAnswered }: ToolRowProps,
  texts: readonly (string | undefined)[],
  { call, card }: ClosedCardLocale,
): string {
  const { state, verb, subject, result } = description
  const head = [verb, current ?? subject, isEdited === true ? card.edited : undefined]
  const hidden = state === 'interrupted' ? result : undefined
  const pieces = [head.filter(text => text !== undefined).join(' '), ...texts, hidden].filter(
    text => text !== undefined,
  )
  const word = call.states[state]
  const hasStateWord = isAnswered === true || pieces.some(piece => piece.toLowerCase().includes(word.toLowerCase()))
  return (hasStateWord ? pieces : [...pieces, word]).join(', ')
}

function Subject({ text }: { text: string | undefined }): ReactNode {
  if (text === undefined) return null
  if (isPath(text)) return <MiddleCut className="argot-subject" part="subject" text={text} />
  return (
    <span className="argot-subject" data-part="subject">
      {text}
    </span>
  )
}

const tones: Readonly<Record<string, string>> = { failed: 'fail', broken: 'fail', asking: 'wait', running: 'live' }

function getTone({ description, result }: ToolRowProps): string | undefined {
  return result === undefined ? tones[description.state] : undefined
}

/** The row's result. An interrupted call's result is a sentence, which is on the line below. */
function getVisibleResult({ description, result }: ToolRowProps, { card, call }: ClosedCardLocale): string | undefined {
  const { state, progress, duration } = description
  if (result !== undefined) return result
  if (state === 'writing') return progress
  if (state === 'running') return isStill(description, call) ? progress : undefined
  if (state === 'stopped') return duration === undefined ? description.result : card.after(duration)
  // The link draws its own arrow.
  if (description.link !== undefined) return description.result?.replace(/ ?↗$/, '')
  return state === 'interrupted' ? undefined : description.result
}

/** "Still running" is a result; a line of preliminary output is not. */
function isStill({ progress }: CallDescription, { stillRunning }: ClosedCardLocale['call']): boolean {
  return progress === stillRunning
}

/**
 * A running call's newest line. CSS draws it, so that screen readers don't read it again and again with the row's name.
 */
function liveLine(description: CallDescription, { call }: ClosedCardLocale): string | undefined {
  const { state, progress } = description
  return state === 'running' && !isStill(description, call) ? progress : undefined
}

function getVisibleTime({ state, duration, milliseconds = 0 }: CallDescription): string | undefined {
  return state === 'running' || (milliseconds >= 1000 && state !== 'stopped') ? duration : undefined
}

function onArrow(event: KeyboardEvent<HTMLElement>, isOpen: boolean, onToggle: (open: boolean) => void): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
  const isForward = (event.key === 'ArrowRight') === (getComputedStyle(event.currentTarget).direction !== 'rtl')
  event.preventDefault()
  if (isForward !== isOpen) onToggle(isForward)
}
