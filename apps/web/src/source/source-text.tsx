import { Diff } from '@argot/react'
import { type ReactNode, useRef, useState } from 'react'
import { ShowChanges } from '../frame/show-changes.tsx'
import type { PageLocale } from '../locale/page-locale.ts'
import { useWords } from '../locale/words.ts'
import { SourceEditor } from './source-editor.tsx'
import { SourceView } from './source-view.tsx'
import { type Finding, type SourceFindings, useFindings } from './use-findings.ts'
import { type EditedSource, useSource } from './use-source.ts'

export interface SourceTextProps {
  document: string
  /** Changes whenever the file does. */
  stamp: string
  isBeingWritten: boolean
  /** A run is writing it, or will once its question is answered. */
  isLive: boolean
}

export function SourceText({ document, stamp, isBeingWritten, isLive }: SourceTextProps): ReactNode {
  const words = useWords()
  const source = useSource(document, stamp, isBeingWritten)
  const findings = useFindings(source, document, isLive)
  const [isEditing, setEditing] = useState(source.isChanged)
  const [note, setNote] = useState<string>()
  const [textBeforeFix, setTextBeforeFix] = useState<string>()
  const foot = useRef<HTMLDivElement>(null)
  const { text } = source
  if (text === undefined) return <Loading problem={source.problem} />
  /** Changes the text for a button. In the editor, it is one more edit; otherwise it is saved and can be undone. */
  const applyChange = async (better: string): Promise<void> => {
    setNote(undefined)
    if (isEditing) return source.change(better)
    if (await source.save(better)) setTextBeforeFix(text)
    else setEditing(true)
  }
  const save = async (isDone: boolean): Promise<void> => {
    if (source.isChanged && !(await source.save())) return
    setTextBeforeFix(undefined)
    if (isDone) leave()
  }
  const leave = (): void => {
    setEditing(false)
    requestAnimationFrame(() => foot.current?.querySelector<HTMLElement>('button')?.focus())
  }
  const format = async (): Promise<void> => {
    const tools = await import('./source-tools.ts').catch(() => undefined)
    if (tools === undefined) return setNote(words.source.noFormatter)
    const { checkChatMd, formatChatMd } = tools
    if (checkChatMd(text).some(({ severity }) => severity === 'error')) {
      return setNote(words.source.notFormatted)
    }
    const better = formatChatMd(text)
    if (better === text) setNote(words.source.isFormatted)
    else await applyChange(better)
  }
  const fix = ({ applyFix }: Finding): (() => void) | undefined => applyFix && (() => void applyChange(applyFix()))
  return (
    <>
      {source.isConflict && <Conflict source={source} onReload={leave} />}
      {isEditing ? (
        <SourceEditor
          document={document}
          text={text}
          findings={findings.list}
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
          findings={findings.list}
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
        <span role="status">{footWords(findings, source, isBeingWritten, words)}</span>
        {isEditing ? (
          <>
            <button type="button" data-kind="primary" onClick={() => void save(true)}>
              {source.isChanged ? words.source.save : words.source.done}
            </button>
            {source.isChanged && (
              <button
                type="button"
                onClick={() => {
                  source.discard()
                  leave()
                }}
              >
                {words.source.discard}
              </button>
            )}
          </>
        ) : (
          <>
            <button type="button" onClick={() => setEditing(true)}>
              {words.source.edit}
            </button>
            {textBeforeFix !== undefined && (
              <button
                type="button"
                onClick={() => {
                  void source.save(textBeforeFix)
                  setTextBeforeFix(undefined)
                }}
              >
                {words.source.undo}
              </button>
            )}
          </>
        )}
        <button type="button" onClick={() => void format()}>
          {words.source.format}
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

function Conflict({ source, onReload }: { source: EditedSource; onReload: () => void }): ReactNode {
  const words = useWords()
  const [isShown, setShown] = useState(false)
  return (
    <div className="conflict" role="alert">
      <div className="conflict-bar">
        <span>{words.changedOnDisk}</span>
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
          {words.reload}
        </button>
        <button type="button" className="button" data-kind="small" onClick={() => void source.overwrite()}>
          {words.source.keepMine}
        </button>
      </div>
      {isShown && <Diff before={source.onDisk} after={source.text} name={words.source.diffName} />}
    </div>
  )
}

function footWords(
  { errors, warnings }: SourceFindings,
  source: EditedSource,
  isBeingWritten: boolean,
  words: PageLocale,
): string {
  return [
    errors === 0 ? undefined : words.source.errors(errors),
    warnings === 0 ? undefined : words.source.warnings(warnings),
    source.isChanged ? words.source.notSaved : words.source.savedAt(formatTime(source.savedAt, words)),
    isBeingWritten ? words.source.beingWritten : undefined,
  ]
    .filter(word => word !== undefined)
    .join(' · ')
}

function formatTime(date: Date | undefined, words: PageLocale): string {
  if (date === undefined) return ''
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? words.time(date) : words.date(date)
}
