import { type ReactNode, useEffect, useRef } from 'react'
import { Caps, control } from './frame/caps.tsx'
import { Icon } from './frame/icon.tsx'
import { LanguageSetting } from './frame/language-setting.tsx'

type Key = [keys: string, does: string]

const groups: readonly { name: string; keys: readonly Key[] }[] = [
  {
    name: 'Write',
    keys: [
      ['Enter · Alt Enter', 'while a run works: the message waits for its turn · joins the run'],
      ['Esc Esc', 'stop, in an empty composer'],
      ['↑', 'edit the last message, in an empty composer'],
    ],
  },
  {
    name: 'Read',
    keys: [
      ['↑ ↓ Home End · Enter · Esc', 'message to message · into its controls · back out'],
      ['Alt ↑ ↓', 'previous or next call; with Shift: of your messages'],
      [`${control} F`, 'find in the conversation'],
      ['Alt L', 'copy a link to the call that has the focus'],
    ],
  },
  {
    name: 'Answer',
    keys: [
      [`${control} Enter`, 'approve, inside the question only'],
      [`${control} Shift Enter`, 'go to the oldest question'],
    ],
  },
  {
    name: 'Page',
    keys: [
      ['F6', 'from pane to pane'],
      [`${control} K`, 'find documents, calls, commands and settings'],
      [`${control} B`, 'documents'],
      [`${control} S`, 'save the source'],
      [`? · ${control} /`, 'this list'],
    ],
  },
  {
    name: 'Time machine',
    keys: [
      ['← → · PageUp PageDown', 'chunk by chunk · call by call, on the slider'],
      ['Home · End', 'the beginning · the end'],
    ],
  },
]

/** What Enter does in the composer, by what was chosen. */
const enters = (isNewLine: boolean): Key =>
  isNewLine ? [`Enter · ${control} Enter`, 'new line · send'] : ['Enter · Shift Enter', 'send · new line']

export interface KeysDialogProps {
  enterIsNewLine: boolean
  onEnterIsNewLine: (is: boolean) => void
  onClose: () => void
}

/** What can be done with keys. */
export function KeysDialog({ enterIsNewLine, onEnterIsNewLine, onClose }: KeysDialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="ask keys" aria-label="Keyboard shortcuts" onClose={onClose}>
      <div className="keys-head">
        <h2>Keyboard shortcuts</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="cross" />
        </button>
      </div>
      {groups.map(({ name, keys }, index) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <dl>
            {[...(index === 0 ? [enters(enterIsNewLine)] : []), ...keys].map(([key, does]) => (
              <div key={`${key} ${does}`}>
                <dt className="caps">
                  <Caps keys={key} />
                </dt>
                <dd>{does}</dd>
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
        Enter begins a new line, {control} Enter sends
      </label>
      <LanguageSetting />
    </dialog>
  )
}
