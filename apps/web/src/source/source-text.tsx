import { Diff } from '@argot/react'
import { type ReactNode, useRef, useState } from 'react'
import { ShowChanges } from '../frame/show-changes.tsx'
import { SourceEditor } from './source-editor.tsx'
import { SourceView } from './source-view.tsx'
import { type Finding, useFindings } from './use-findings.ts'
import { type Source, useSource } from './use-source.ts'

export interface SourceTextProps {
  document: string
  /** Changes whenever the file does. */
  stamp: string
  /** A run writes it now. */
  isBeingWritten: boolean
  /** A run writes it, or waits for somebody and writes it then. */
  isLive: boolean
}

/** The source: to be read, with what is wrong at its line; or to be changed. */
export function SourceText({ document, stamp, isBeingWritten, isLive }: SourceTextProps): ReactNode {
  const source = useSource(document, stamp, isBeingWritten)
  const findings = useFindings(source, document, isLive)
  const [isEditing, setEditing] = useState(source.isChanged)
  const [note, setNote] = useState<string>()
  /** What the last press of a button replaced. */
  const [before, setBefore] = useState<string>()
  const foot = useRef<HTMLDivElement>(null)
  const { text } = source
  if (text === undefined) return <Loading problem={source.problem} />
  /** Changes the text for a button: in the editor it is a change among others, else it is saved and can be undone. */
  const put = async (better: string): Promise<void> => {
    setNote(undefined)
    if (isEditing) return source.change(better)
    if (await source.save(better)) setBefore(text)
    else setEditing(true)
  }
  const save = async (isDone: boolean): Promise<void> => {
    if (source.isChanged && !(await source.save())) return
    setBefore(undefined)
    if (isDone) leave()
  }
  const leave = (): void => {
    setEditing(false)
    requestAnimationFrame(() => foot.current?.querySelector<HTMLElement>('button')?.focus())
  }
  const format = async (): Promise<void> => {
    const tools = await import('./source-tools.ts').catch(() => undefined)
    if (tools === undefined) return setNote('The server is not answering, so the formatter cannot be loaded.')
    const { checkChatMd, formatChatMd } = tools
    if (checkChatMd(text).some(({ severity }) => severity === 'error')) {
      return setNote('A text with errors is not formatted.')
    }
    const better = formatChatMd(text)
    if (better === text) setNote('It is formatted already.')
    else await put(better)
  }
  const fix = ({ repaired }: Finding): (() => void) | undefined => repaired && (() => void put(repaired()))
  return (
    <>
      {source.isConflict && <Conflict source={source} onReload={leave} />}
      {isEditing ? (
        <SourceEditor
          document={document}
          text={text}
          findings={findings}
          onFix={fix}
          onChange={next => {
            setNote(undefined)
            source.change(next)
          }}
          onSave={() => void save(false)}
        />
      ) : (
        <SourceView
          document={document}
          text={text}
          findings={findings}
          onFix={fix}
          onEdit={() => setEditing(true)}
          isLive={isLive}
        />
      )}
      {(source.problem ?? note) !== undefined && (
        <p className="source-note" role="alert" data-tone={source.problem === undefined ? undefined : 'fail'}>
          {source.problem ?? note}
        </p>
      )}
      <div className="source-foot" ref={foot}>
        <span role="status">{footWords(findings, source, isBeingWritten)}</span>
        {isEditing ? (
          <>
            <button type="button" data-kind="primary" onClick={() => void save(true)}>
              {source.isChanged ? 'Save' : 'Done'}
            </button>
            {source.isChanged && (
              <button
                type="button"
                onClick={() => {
                  source.discard()
                  leave()
                }}
              >
                Discard
              </button>
            )}
          </>
        ) : (
          <>
            <button type="button" onClick={() => setEditing(true)}>
              Edit
            </button>
            {before !== undefined && (
              <button
                type="button"
                onClick={() => {
                  void source.save(before)
                  setBefore(undefined)
                }}
              >
                Undo
              </button>
            )}
          </>
        )}
        <button type="button" onClick={() => void format()}>
          Format
        </button>
      </div>
    </>
  )
}

function Loading({ problem }: { problem: string | undefined }): ReactNode {
  if (problem !== undefined) return <p className="problem">{problem}</p>
  return (
    <div className="bones" aria-hidden="true">
      <div />
      <div />
      <div />
    </div>
  )
}

/** Says that the document is another one on the disk by now, and what can be done about it. */
function Conflict({ source, onReload }: { source: Source; onReload: () => void }): ReactNode {
  const [isShown, setShown] = useState(false)
  return (
    <div className="conflict" role="alert">
      <div className="conflict-bar">
        <span>This document changed on disk</span>
        <ShowChanges isShown={isShown} onToggle={setShown} />
        <button
          type="button"
          className="button"
          data-kind="small"
          onClick={() => {
            source.discard()
            onReload()
          }}
        >
          Reload
        </button>
        <button type="button" className="button" data-kind="small" onClick={() => void source.overwrite()}>
          Keep mine
        </button>
      </div>
      {isShown && <Diff before={source.onDisk} after={source.text} name="What yours changes on disk" />}
    </div>
  )
}

function footWords(findings: readonly Finding[], source: Source, isBeingWritten: boolean): string {
  const count = (severity: string): number =>
    findings.filter(({ diagnostic }) => diagnostic.severity === severity).length
  const [errors, warnings] = [count('error'), count('warning')]
  const words = [
    errors === 0 ? undefined : errors === 1 ? '1 error' : `${errors} errors`,
    warnings === 0 ? undefined : warnings === 1 ? '1 warning' : `${warnings} warnings`,
    source.isChanged ? 'Not saved' : `Saved ${timeOf(source.savedAt)}`,
  ].filter(word => word !== undefined)
  return words.join(' · ') + (isBeingWritten ? ', being written' : '')
}

function timeOf(date: Date | undefined): string {
  if (date === undefined) return ''
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? date.toLocaleTimeString('en', { hour12: false }) : date.toLocaleDateString('en')
}
