import { type ReactNode, useEffect, useRef } from 'react'
import { Caps, control } from './frame/caps.tsx'
import { Icon } from './frame/icon.tsx'
import { LanguageSetting } from './frame/language-setting.tsx'
import type { PageLocale } from './locale/page-locale.ts'
import { useWords } from './locale/words.ts'

type Shortcut = [keys: string, does: keyof PageLocale['keys']['does']]

const groups: readonly { name: keyof PageLocale['keys']['groups']; keys: readonly Shortcut[] }[] = [
  {
    name: 'write',
    keys: [
      ['Enter · Alt Enter', 'queue'],
      ['Esc Esc', 'stop'],
      ['↑', 'editLast'],
    ],
  },
  {
    name: 'read',
    keys: [
      ['↑ ↓ Home End · Enter · Esc', 'move'],
      ['Alt ↑ ↓', 'call'],
      [`${control} F`, 'find'],
      ['Alt L', 'link'],
    ],
  },
  {
    name: 'answer',
    keys: [
      [`${control} Enter`, 'approve'],
      [`${control} Shift Enter`, 'question'],
    ],
  },
  {
    name: 'page',
    keys: [
      ['F6', 'panes'],
      [`${control} K`, 'palette'],
      [`${control} B`, 'documents'],
      [`${control} S`, 'save'],
      [`? · ${control} /`, 'list'],
    ],
  },
  {
    name: 'machine',
    keys: [
      ['← → · PageUp PageDown', 'chunks'],
      ['Home · End', 'ends'],
    ],
  },
]

/** What Enter does in the composer, depending on the setting. */
const enters = (isNewLine: boolean): Shortcut =>
  isNewLine ? [`Enter · ${control} Enter`, 'newLineSends'] : ['Enter · Shift Enter', 'sends']

export interface KeysDialogProps {
  enterIsNewLine: boolean
  onEnterIsNewLine: (is: boolean) => void
  onClose: () => void
}

export function KeysDialog({ enterIsNewLine, onEnterIsNewLine, onClose }: KeysDialogProps): ReactNode {
  const { keys: words, close } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="argot-ask keys" aria-label={words.title} onClose={onClose}>
      <div className="keys-head">
        <h2>{words.title}</h2>
        <button type="button" className="icon-button" aria-label={close} onClick={() => dialog.current?.close()}>
          <Icon name="cross" />
        </button>
      </div>
      {groups.map(({ name, keys }, index) => (
        <section key={name} aria-label={words.groups[name]}>
          <h3>{words.groups[name]}</h3>
          <dl>
            {[...(index === 0 ? [enters(enterIsNewLine)] : []), ...keys].map(([key, does]) => (
              <div key={`${key} ${does}`}>
                <dt className="caps">
                  <Caps keys={key} />
                </dt>
                <dd>{words.does[does]}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className="keys-setting">
        <input
          type="checkbox"
          checked={enterIsNewLine}
          onChange={event => onEnterIsNewLine(event.currentTarget.checked)}
        />
        {words.enterIsNewLine(control)}
      </label>
      <LanguageSetting />
    </dialog>
  )
}
