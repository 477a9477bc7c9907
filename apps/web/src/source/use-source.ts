import type { Diagnostic } from '@argot/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { noteSave } from '../frame/own-saves.ts'
import { api, ServerError } from '../server/api.ts'
import { type Draft, getDraft, keepDraft } from './drafts.ts'

export interface EditedSource {
  /** The visible text: the draft, if there is one. Undefined while it loads. */
  text: string | undefined
  onDisk: string | undefined
  isChanged: boolean
  isConflict: boolean
  /** The server's diagnostics for the text on the disk. */
  diagnostics: readonly Diagnostic[]
  savedAt: Date | undefined
  problem: string | undefined
  change(text: string): void
  /** Resolves with false if the text is not on the disk now. */
  save(text?: string): Promise<boolean>
  overwrite(): Promise<boolean>
  discard(): void
}

/** A document's source, loaded again with each stamp. It is not checked while a run writes it. */
export function useSource(document: string, stamp: string, isBeingWritten: boolean): EditedSource {
  const [disk, setDisk] = useState<Draft>()
  const [draft, setDraft] = useState(() => getDraft(document))
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic[]>([])
  const [savedAt, setSavedAt] = useState<Date>()
  const [problem, setProblem] = useState<string>()
  const newest = useRef({ disk, draft })
  newest.current = { disk, draft }
  const storeDraft = useCallback(
    (next: Draft | undefined) => {
      setDraft(next)
      newest.current.draft = next
      keepDraft(document, next)
    },
    [document],
  )
  const showDisk = useCallback((next: Draft | undefined) => {
    setDisk(next)
    newest.current.disk = next
  }, [])
  useEffect(() => {
    let isMounted = true
    const load = async (): Promise<void> => {
      const loaded = await api.text(document)
      if (!isMounted) return
      showDisk(loaded)
      setSavedAt(new Date(stamp))
      if (newest.current.draft?.text === loaded.text) storeDraft(undefined)
      if (isBeingWritten) return
      const next = await api.check(document)
      if (isMounted) setDiagnostics(next)
    }
    // A run writes many times a second.
    const timer = setTimeout(
      () => void load().catch((error: unknown) => isMounted && setProblem(describeError(error))),
      isBeingWritten ? 300 : 0,
    )
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [document, stamp, isBeingWritten, storeDraft, showDisk])
  const write = async (text: string, version: string): Promise<boolean> => {
    const forget = noteSave(document)
    try {
      const saved = await api.write(document, text, version)
      showDisk({ text, version: saved })
      setSavedAt(new Date())
      // Text typed during the save is a change to the saved text.
      const { draft: typed } = newest.current
      storeDraft(typed === undefined || typed.text === text ? undefined : { text: typed.text, version: saved })
      setProblem(undefined)
      setDiagnostics(await api.check(document))
      return true
    } catch (error) {
      forget()
      if (error instanceof ServerError && error.status === 412) {
        storeDraft({ text: newest.current.draft?.text ?? text, version })
        showDisk(await api.text(document).catch(() => newest.current.disk))
        setProblem(undefined)
      } else setProblem(describeError(error))
      return false
    }
  }
  const isConflict = draft !== undefined && disk !== undefined && draft.version !== disk.version
  return {
    text: draft?.text ?? disk?.text,
    onDisk: disk?.text,
    isChanged: draft !== undefined,
    isConflict,
    diagnostics,
    savedAt,
    problem,
    change(text) {
      const now = newest.current
      if (now.disk === undefined) return
      storeDraft(text === now.disk.text ? undefined : { text, version: now.draft?.version ?? now.disk.version })
    },
    async save(text = draft?.text) {
      const version = draft?.version ?? disk?.version
      return text === undefined || version === undefined ? false : write(text, version)
    },
    overwrite: async () => (draft === undefined || disk === undefined ? false : write(draft.text, disk.version)),
    discard() {
      storeDraft(undefined)
      setProblem(undefined)
    },
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
