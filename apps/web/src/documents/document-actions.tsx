import { visibleLine } from '@argot/core/stream/internal'
import type { DocumentEntry } from '@argot/server/api'
import { type ReactNode, useCallback, useState } from 'react'
import { moveStoredEntries } from '../frame/move-stored-entries.ts'
import { isStrings, useStoredSetting } from '../frame/stored-setting.ts'
import { Toast, type ToastProps } from '../frame/toast.tsx'
import { goTo } from '../frame/use-route.ts'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'
import type { DocumentList } from '../server/use-documents.ts'
import { folderName } from './arrange-documents.ts'
import type { Command } from './commands.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { TrashDialog } from './trash-dialog.tsx'

export interface DocumentActions {
  pinned: readonly string[]
  commands(entry: DocumentEntry): Command[]
  rename(entry: DocumentEntry): void
  remove(entry: DocumentEntry): Promise<void>
  openTrash(): void
  fail(error: unknown): void
  /** The dialogs, and the message after an action. */
  view: ReactNode
}

type PathDialog = { kind: 'rename' | 'move'; entry: DocumentEntry }
type DocumentDialog = PathDialog | { kind: 'trash' }

export function useDocumentActions(documents: DocumentList, current: string | undefined): DocumentActions {
  const [pinned, setPinned] = useStoredSetting<readonly string[]>('pinned', [], isStrings)
  const [openDialog, setOpenDialog] = useState<DocumentDialog>()
  const [toast, setToast] = useState<Omit<ToastProps, 'onClose'>>()
  const { conversations: words } = useWords()
  const { list = [], reload } = documents
  const closeToast = useCallback(() => setToast(undefined), [])
  const fail = (error: unknown): void =>
    setToast({ words: error instanceof Error ? error.message : String(error), isProblem: true })
  const attempt = (work: () => Promise<void>): Promise<void> => work().catch(fail)

  const remove = (entry: DocumentEntry): Promise<void> =>
    attempt(async () => {
      const trashed = await api.remove(entry.path)
      if (entry.path === current) {
        const next = list.find(({ path }) => path !== entry.path)
        if (next === undefined) location.hash = ''
        else goTo(next.path)
      }
      reload()
      const undo = (): void => {
        setToast(undefined)
        void attempt(async () => {
          await api.restore(trashed)
          reload()
          goTo(trashed.path)
        })
      }
      setToast({ words: words.deleted(visibleLine(entry.title)), action: { label: words.undo, act: undo } })
    })

  /** Resolves with the path that the server chose, which may be another one. */
  const move = async (entry: DocumentEntry, to: string): Promise<string> => {
    if (to === entry.path) return to
    const path = await api.rename(entry.path, to)
    moveStoredEntries(entry.path, path)
    setPinned(pinned.map(one => (one === entry.path ? path : one)))
    if (entry.path === current) goTo(path)
    return path
  }

  const save = async ({ kind, entry }: PathDialog, title: string | undefined, to: string): Promise<void> => {
    const path = await move(entry, to)
    // If the title is refused, the next try begins at the new path.
    if (path !== entry.path) setOpenDialog({ kind, entry: { ...entry, path } })
    if (title !== undefined) await api.title(path, title)
    reload()
    setOpenDialog(undefined)
  }

  const isPinned = ({ path }: DocumentEntry): boolean => pinned.includes(path)
  const pin = (entry: DocumentEntry): void =>
    setPinned(isPinned(entry) ? pinned.filter(path => path !== entry.path) : [...pinned, entry.path])

  const copy = async ({ path }: DocumentEntry): Promise<void> => {
    const copied = await api.copy(path)
    reload()
    goTo(copied)
  }

  const folders = [...new Set(list.map(({ path }) => folderName(path)))].filter(Boolean).sort()
  return {
    pinned,
    commands: entry => [
      { key: 'pin', label: isPinned(entry) ? words.unpin : words.pin, act: () => pin(entry) },
      { key: 'rename', label: `${words.rename} …`, act: () => setOpenDialog({ kind: 'rename', entry }) },
      { key: 'move', label: `${words.move} …`, act: () => setOpenDialog({ kind: 'move', entry }) },
      { key: 'duplicate', label: words.duplicate, act: () => copy(entry) },
      { key: 'delete', label: words.delete, act: () => remove(entry) },
    ],
    rename: entry => setOpenDialog({ kind: 'rename', entry }),
    remove,
    openTrash: () => setOpenDialog({ kind: 'trash' }),
    fail,
    view: (
      <>
        {openDialog?.kind === 'trash' && (
          <TrashDialog
            onRestored={path => {
              reload()
              goTo(path)
            }}
            onClose={() => setOpenDialog(undefined)}
          />
        )}
        {openDialog !== undefined && openDialog.kind !== 'trash' && (
          <RenameDialog
            entry={openDialog.entry}
            isMove={openDialog.kind === 'move'}
            folders={folders}
            onSave={(title, to) => save(openDialog, title, to)}
            onClose={() => setOpenDialog(undefined)}
          />
        )}
        {toast !== undefined && <Toast key={toast.words} {...toast} onClose={closeToast} />}
      </>
    ),
  }
}
