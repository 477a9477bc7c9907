import { visibleLine } from '@argot/core/stream/internal'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import type { Answers, TryChoices, TryWishes } from '../../store/run/answers.ts'
import { findNextRow, isShortcut } from '../pickers/menu-keys.ts'

export interface TryAgainProps {
  messageId: string
  answers: Answers
}

/** Regenerates an answer: with the same settings, or with a choice from the menu next to the button. */
export function TryAgain({ messageId, answers }: TryAgainProps): ReactNode {
  const { box } = useLocale()
  const store = useChatStore()
  const [choices, setChoices] = useState<TryChoices | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const id = useId()
  const open = (): void => {
    setOpen(true)
    void answers.models().then(models => (models === undefined ? setOpen(false) : setChoices(models)))
  }
  const close = useCallback((hasFocus: boolean): void => {
    setOpen(false)
    if (hasFocus) opener.current?.focus()
  }, [])
  return (
    <span className="argot-try">
      <button type="button" className="argot-link" onClick={() => void answers.tryAgain(messageId, {})}>
        {box.tryAgain}
      </button>
      {store.adapter.listModels !== undefined && (
        <button
          ref={opener}
          type="button"
          className="argot-link"
          aria-label={box.tryOther}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => (isOpen ? close(false) : open())}
          onKeyDown={event => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
            event.preventDefault()
            open()
          }}
        >
          <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M4.5 6.5L8 10l3.5-3.5" />
          </svg>
        </button>
      )}
      {isOpen && choices !== undefined && (
        <TryMenu
          id={id}
          opener={opener.current}
          choices={choices}
          onClose={close}
          onPick={wishes => {
            close(true)
            void answers.tryAgain(messageId, wishes)
          }}
        />
      )}
    </span>
  )
}

interface TryMenuProps {
  id: string
  opener: HTMLElement | null
  choices: TryChoices
  onClose: (hasFocus: boolean) => void
  onPick: (wishes: TryWishes) => void
}

/** On top of everything else, because rows of the log clip overflowing content. */
function TryMenu({ id, opener, choices, onClose, onPick }: TryMenuProps): ReactNode {
  const { box } = useLocale()
  const menu = useRef<HTMLDivElement>(null)
  const name = useId()
  useEffect(() => {
    const element = menu.current
    if (element === null) return
    element.showPopover?.()
    placeAt(element, opener)
    element.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: true })
    const onPress = (event: Event): void => {
      const target = event.target as Node
      if (!element.contains(target) && opener?.contains(target) !== true) onClose(false)
    }
    const onScroll = (event: Event): void => {
      if (!element.contains(event.target as Node)) onClose(false)
    }
    addEventListener('pointerdown', onPress)
    addEventListener('resize', onScroll)
    addEventListener('scroll', onScroll, true)
    return () => {
      removeEventListener('pointerdown', onPress)
      removeEventListener('resize', onScroll)
      removeEventListener('scroll', onScroll, true)
    }
  }, [opener, onClose])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { key } = event
    if (isShortcut(event)) return
    event.stopPropagation()
    // Tab then moves on from the opener.
    if (key === 'Tab') return onClose(true)
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')]
    const next = findNextRow(rows, event.target as HTMLElement, key)
    if (key === 'Escape') onClose(true)
    else if (next === undefined) return
    event.preventDefault()
    next?.focus()
  }
  const item = (label: string, wishes: TryWishes, note = ''): ReactNode => (
    <button key={label} type="button" role="menuitem" tabIndex={-1} onClick={() => onPick(wishes)}>
      {visibleLine(label)}
      {note !== '' && note !== label && <span>{visibleLine(note)}</span>}
    </button>
  )
  const group = (title: string, suffix: string, items: ReactNode[]): ReactNode =>
    items.length > 0 && (
      // biome-ignore lint/a11y/useSemanticElements: a menu has no fields
      <div role="group" aria-labelledby={`${name}${suffix}`}>
        <p id={`${name}${suffix}`}>{title}</p>
        {items}
      </div>
    )
  return (
    <div
      ref={menu}
      id={id}
      className="argot-menu argot-try-menu"
      popover="manual"
      role="menu"
      tabIndex={-1}
      aria-label={box.tryOther}
      onKeyDown={onKeyDown}
    >
      {item(box.trySame, {})}
      {group(
        box.otherModel,
        'model',
        choices.models.map(({ name, title }) => item(name, { model: name }, title)),
      )}
      {group(
        box.otherSyntax,
        'syntax',
        choices.syntaxes.map(syntax => item(syntax, { syntax })),
      )}
    </div>
  )
}

const GAP = 4

/** Above or below the opener, wherever there is more room, and inside the window. */
function placeAt(menu: HTMLElement, opener: HTMLElement | null): void {
  const at = opener?.getBoundingClientRect()
  if (at === undefined) return
  const above = at.top - 2 * GAP
  const below = innerHeight - at.bottom - 2 * GAP
  menu.style.maxBlockSize = `${Math.max(above, below) - GAP}px`
  const { width, height } = menu.getBoundingClientRect()
  const isAbove = below < height && above > below
  menu.style.insetBlockStart = `${isAbove ? at.top - height - GAP : at.bottom + GAP}px`
  menu.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`
}
