import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { usePickerLocale } from '../../locale/use-picker-locale.ts'
import { Menu } from './menu.tsx'
import type { MenuItem } from './menu-popup.tsx'

export interface ModelPickerProps {
  /** Undefined while they load. */
  models:
    | readonly {
        name: string
        title?: string | undefined
        /** False for a model that can't be used yet; `needs` says what is missing. */
        isReady?: boolean | undefined
        needs?: string | undefined
      }[]
    | undefined
  /** The picked model; undefined for the default one. */
  value: string | undefined
  onChange: (model: string | undefined) => void
  /** The model that answers if none is picked, and the words for that choice. */
  usual?: string | undefined
  usualLabel?: string | undefined
  /** Whether a model that isn't listed can be used by its name; true by default. */
  allowsOther?: boolean | undefined
  /** Set it to control the menu; otherwise the picker does. */
  isOpen?: boolean | undefined
  onOpen?: ((isOpen: boolean) => void) | undefined
  className?: string | undefined
}

/** A button that shows the current model, and a menu to pick another. Unavailable models are last and say why. */
export function ModelPicker(props: ModelPickerProps): ReactNode {
  const { models, value, onChange, usual, allowsOther = true, className } = props
  const words = usePickerLocale()
  const own = useState(false)
  const [isOpen, setOpen] = props.isOpen === undefined ? own : [props.isOpen, props.onOpen ?? (() => {})]
  const [isAsking, setAsking] = useState(false)
  // Models may be loaded when the menu opens, so an uncontrolled picker reports that too.
  const open = (next: boolean): void => {
    setOpen(next)
    if (props.isOpen === undefined) props.onOpen?.(next)
  }
  const current = value ?? usual ?? ''
  const isListed = value === undefined || models?.some(({ name }) => name === value) === true
  const items: MenuItem[] = [
    {
      key: ' usual',
      label: props.usualLabel ?? words.usualModel,
      note: usual,
      isChecked: value === undefined,
      onPick: () => onChange(undefined),
    },
    ...(isListed ? [] : [{ key: value, label: value, isChecked: true, onPick: () => {} }]),
    ...(models ?? [])
      .toSorted((a, b) => Number(b.isReady ?? true) - Number(a.isReady ?? true))
      .map(({ name, title, isReady = true, needs }, index) => ({
        key: name,
        label: name,
        note: [title, needs].filter(text => text !== undefined).join(': ') || undefined,
        isChecked: name === value,
        isDisabled: !isReady,
        isApart: index === 0,
        onPick: () => onChange(name),
      })),
    ...(allowsOther ? [{ key: ' other', label: words.otherModel, isApart: true, onPick: () => setAsking(true) }] : []),
  ]
  return (
    <>
      <Menu
        name={words.model(current)}
        className={`argot-pick${className ? ` ${className}` : ''}`}
        isOpen={isOpen}
        onOpen={open}
        items={items}
        head={models === undefined && <p className="argot-pick-note">{words.lookingForModels}</p>}
      >
        <span className="argot-pick-word" dir="auto">
          {current}
        </span>
        <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4.5 6.5L8 10l3.5-3.5" />
        </svg>
      </Menu>
      {isAsking && (
        <OtherModel
          initial={value ?? ''}
          onDone={name => {
            setAsking(false)
            if (name !== undefined) onChange(name)
          }}
        />
      )}
    </>
  )
}

interface OtherModelProps {
  initial: string
  /** Undefined if the dialog was cancelled. */
  onDone: (name: string | undefined) => void
}

function OtherModel({ initial, onDone }: OtherModelProps): ReactNode {
  const words = usePickerLocale()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(initial)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const name = text.trim()
  return (
    <dialog ref={dialog} className="argot argot-ask" aria-labelledby={`${id}-title`} onClose={() => onDone(undefined)}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (name !== '') onDone(name)
        }}
      >
        <h2 id={`${id}-title`}>{words.otherModel}</h2>
        <label htmlFor={id}>{words.otherModelName}</label>
        <input
          id={id}
          className="argot-field"
          dir="auto"
          value={text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setText(event.target.value)}
        />
        <div className="argot-acts">
          <button type="submit" className="argot-button" data-kind="primary" aria-disabled={name === ''}>
            {words.useModel}
          </button>
          <button type="button" className="argot-button" onClick={() => dialog.current?.close()}>
            {words.cancel}
          </button>
        </div>
      </form>
    </dialog>
  )
}
