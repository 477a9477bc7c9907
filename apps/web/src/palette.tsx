import type { DocumentEntry } from '@argot/server/api'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Command } from './documents/commands.ts'
import { Caps } from './frame/caps.tsx'
import { openCalls } from './frame/open-conversation.ts'
import { useWords } from './locale/words.ts'
import { type Hits, type PaletteChoice, toGroups } from './palette-groups.ts'
import { api } from './server/api.ts'

/** The search starts after typing has paused this long. */
const PAUSE_MS = 150

export interface PaletteProps {
  documents: readonly DocumentEntry[]
  commands: readonly Command[]
  settings: readonly Command[]
  onCommand: (command: Command) => void
  onClose: () => void
}

export function Palette({ documents, commands, settings, onCommand, onClose }: PaletteProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const { palette: words } = useWords()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const hits = useSearch(text)
  // The conversation does not change while a dialog is in front of it.
  const [calls] = useState(() => openCalls())
  // Immediately: the next key already belongs to the palette.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const groups = toGroups(text, { documents, commands, settings, calls, hits, onCommand })
  const choices = groups.flatMap(group => group.choices)
  const current = Math.min(at, choices.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })
  const pick = (choice: PaletteChoice | undefined): void => {
    if (choice === undefined) return
    // It returns the focus before anything else takes it.
    dialog.current?.close()
    choice.pick()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const page = 8
    const next = {
      ArrowDown: (current + 1) % choices.length,
      ArrowUp: (current - 1 + choices.length) % choices.length,
      PageDown: Math.min(current + page, choices.length - 1),
      PageUp: Math.max(current - page, 0),
    }[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      pick(choices[current])
    } else if (next !== undefined && choices.length > 0) {
      event.preventDefault()
      setAt(next)
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      dialog.current?.close()
    }
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      className="palette"
      aria-label={words.title}
      onClose={onClose}
      onClick={event => {
        if (event.target === dialog.current) dialog.current?.close()
      }}
    >
      <input
        className="field palette-field"
        role="combobox"
        aria-label={words.field}
        aria-expanded={choices.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? `${id}-${current}` : undefined}
        placeholder={words.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        className="palette-list"
        role="listbox"
        aria-label={words.results}
        tabIndex={-1}
      >
        {groups.map(({ name, choices: some }) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not field sets
          <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
            <h3 id={`${id}-${name}`} role="presentation">
              {name}
            </h3>
            {some.map(choice => {
              const index = choices.indexOf(choice)
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
                <div
                  key={choice.key}
                  id={`${id}-${index}`}
                  role="option"
                  className="palette-choice"
                  aria-selected={index === current}
                  onClick={() => pick(choice)}
                >
                  <span className="palette-label">{choice.label}</span>
                  {choice.note !== undefined && <span className="palette-note">{choice.note}</span>}
                  {choice.keys !== undefined && (
                    <span className="caps">
                      <Caps keys={choice.keys} />
                    </span>
                  )}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <p className="palette-none" role="status">
        {choices.length === 0 ? words.nothing : ''}
      </p>
    </dialog>
  )
}

const none: Hits = []

function useSearch(text: string): Hits {
  const [hits, setHits] = useState<Hits>(none)
  useEffect(() => {
    const query = text.trim()
    if (!/[\p{L}\p{N}]/u.test(query)) return setHits(none)
    const leave = new AbortController()
    const timer = setTimeout(() => {
      api.search(query, leave.signal).then(
        answer => setHits(answer.hasAll ? answer.hits : none),
        () => {},
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      leave.abort()
    }
  }, [text])
  return hits
}
