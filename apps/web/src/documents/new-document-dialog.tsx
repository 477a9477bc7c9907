import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry } from '@argot/server/api'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { ProblemAlert } from '../frame/problem-alert.tsx'
import { isString, useStoredSetting } from '../frame/stored-setting.ts'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'
import { folderName } from './arrange-documents.ts'
import { composeDocument, type DocumentDraft, readHead } from './compose-document.ts'
import { DraftPreview } from './draft-preview.tsx'
import { ModelFields } from './model-fields.tsx'
import { offeredTools, type Template, templates } from './templates.ts'

export interface NewDocumentDialogProps {
  documents: readonly DocumentEntry[]
  onMade: (path: string) => void
  onClose: () => void
}

/** `chats/2026-11-18-13-20-11`: no two are made in the same second. */
function newName(folder: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
  return folder === '' ? time : `${folder}/${time}`
}

function draftFrom({ tools, system }: Template): DocumentDraft {
  return { head: '', model: '', syntax: '', tools, servers: [], system }
}

/** Assembles a new document: a template, tools, servers, a prompt, a model. A preview is shown next to it. */
export function NewDocumentDialog({ documents, onMade, onClose }: NewDocumentDialogProps): ReactNode {
  const {
    newDocument: words,
    documents: { new: heading },
    cancel,
  } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [lastTemplate, setLastTemplate] = useStoredSetting('template', 'research', isString)
  const [template, setTemplate] = useState(() => templates.find(({ key }) => key === lastTemplate) ?? templates[0]!)
  const [draft, setDraft] = useState(() => draftFrom(template))
  const [server, setServer] = useState('')
  const [source, setSource] = useState('')
  const [name, setName] = useState(() => newName('chats'))
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const change = (part: Partial<DocumentDraft>): void => setDraft(before => ({ ...before, ...part }))
  const isCopy = template.key === 'document'
  // A typed server is part of the document even without pressing Add.
  const servers = useMemo(
    () => [...new Set([...draft.servers, ...(server.trim() === '' ? [] : [server.trim()])])],
    [draft.servers, server],
  )
  const text = useMemo(() => composeDocument({ ...draft, servers }), [draft, servers])
  const path = `${name.trim().replace(/\.chatmd$/, '')}.chatmd`

  const choose = (next: Template): void => {
    setTemplate(next)
    setDraft(({ model, syntax }) => ({ ...draftFrom(next), ...(next.key === 'document' ? {} : { model, syntax }) }))
    setSource('')
    setServer('')
  }
  const copyHead = async (from: string): Promise<void> => {
    setSource(from)
    setProblem(undefined)
    if (from === '') return change({ head: '' })
    try {
      change({ head: readHead((await api.text(from)).text, from) })
      // Its relative paths must still resolve, so the new document goes next to it.
      setName(newName(folderName(from)))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  const make = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await api.write(path, text)
      setLastTemplate(isCopy ? 'research' : template.key)
      onMade(path)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <dialog ref={dialog} className="argot-ask new-document" aria-labelledby={`${id}-heading`} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void make()
        }}
      >
        <div className="new-fields">
          <h2 id={`${id}-heading`}>{heading}</h2>
          <fieldset className="templates">
            <legend>{words.beginWith}</legend>
            {templates.map(one => (
              <label key={one.key} className="template">
                <input
                  type="radio"
                  name={`${id}-template`}
                  checked={one.key === template.key}
                  onChange={() => choose(one)}
                />
                <span>
                  {words.templates[one.key].label}
                  <span className="meta">{words.templates[one.key].does}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {isCopy && (
            <>
              <label htmlFor={`${id}-source`}>{words.document}</label>
              <select
                id={`${id}-source`}
                className="field"
                value={source}
                onChange={event => void copyHead(event.target.value)}
              >
                <option value="">{words.choose}</option>
                {documents.slice(0, 500).map(entry => (
                  <option key={entry.path} value={entry.path}>
                    {visibleLine(entry.title)} – {visibleLine(entry.path)}
                  </option>
                ))}
              </select>
            </>
          )}
          {!isCopy && <ModelFields draft={draft} onChange={change} />}
          <fieldset className="offered">
            <legend>{words.tools}</legend>
            {offeredTools.map(tool => (
              <label key={tool.name}>
                <input
                  type="checkbox"
                  checked={draft.tools.includes(tool.name)}
                  onChange={({ target }) =>
                    change({
                      tools: offeredTools
                        .map(one => one.name)
                        .filter(one => (one === tool.name ? target.checked : draft.tools.includes(one))),
                    })
                  }
                />
                <span>
                  <code>{tool.name}</code>
                  <span className="meta">
                    {tool.asks === true ? words.asksFirst(words.toolDoes[tool.name]) : words.toolDoes[tool.name]}
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
          <label htmlFor={`${id}-server`}>{words.server}</label>
          <span className="field-with-end">
            <input
              id={`${id}-server`}
              className="field"
              value={server}
              maxLength={2000}
              placeholder={words.serverHint}
              autoComplete="off"
              spellCheck={false}
              aria-describedby={`${id}-server-note`}
              onChange={event => setServer(event.target.value)}
            />
            <button
              type="button"
              className="button"
              onClick={() => {
                if (server.trim() === '') return
                change({ servers: [...new Set([...draft.servers, server.trim()])] })
                setServer('')
              }}
            >
              {words.add}
            </button>
          </span>
          <p className="meta" id={`${id}-server-note`}>
            {words.serverNote}
          </p>
          {draft.servers.length > 0 && (
            <ul className="servers">
              {draft.servers.map(one => (
                <li key={one}>
                  <code>{visibleLine(one)}</code>
                  <button
                    type="button"
                    className="button"
                    data-kind="small"
                    aria-label={words.removeOne(visibleLine(one))}
                    onClick={() => change({ servers: draft.servers.filter(other => other !== one) })}
                  >
                    {words.remove}
                  </button>
                </li>
              ))}
            </ul>
          )}
          <label htmlFor={`${id}-system`}>{words.system}</label>
          <textarea
            id={`${id}-system`}
            className="field"
            rows={3}
            value={draft.system}
            maxLength={100_000}
            onChange={event => change({ system: event.target.value })}
          />
          <label htmlFor={`${id}-name`}>{words.file}</label>
          <span className="field-with-end">
            <input
              id={`${id}-name`}
              className="field"
              value={name}
              maxLength={500}
              autoComplete="off"
              spellCheck={false}
              onChange={event => setName(event.target.value)}
            />
            <span className="meta">.chatmd</span>
          </span>
        </div>
        <DraftPreview path={path} text={text} />
        <div className="new-foot">
          <ProblemAlert problem={problem} />
          <div className="acts">
            <button type="submit" className="button" data-kind="primary" aria-disabled={isBusy}>
              {words.create}
            </button>
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              {cancel}
            </button>
          </div>
        </div>
      </form>
    </dialog>
  )
}
