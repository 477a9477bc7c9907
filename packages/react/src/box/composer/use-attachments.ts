import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useLocale } from '../../locale/frame-locale.ts'
import type { ChatDraftAttachment } from '../../types/index.ts'

/** How much can be attached to one message. */
export interface AttachmentLimits {
  /** 10 by default. */
  files?: number | undefined
  /** All of a message's files together; 10 MB by default. */
  bytes?: number | undefined
}

export interface DraftFiles {
  files: readonly ChatDraftAttachment[]
  problem: string | undefined
  isDragged: boolean
  add(files: Iterable<File>): void
  remove(localId: string): void
  clear(): void
}

/** The next message's files. They can be dropped anywhere on the chat box around `field`. */
export function useAttachments(
  field: RefObject<HTMLElement | null>,
  isOn: boolean,
  { files: maxFiles = 10, bytes: maxBytes = 10_000_000 }: AttachmentLimits = {},
): DraftFiles {
  const { box } = useLocale()
  const [files, setFiles] = useState<readonly ChatDraftAttachment[]>([])
  const [problem, setProblem] = useState<string>()
  const [isDragged, setDragged] = useState(false)
  const add = useCallback(
    (added: Iterable<File>): void => {
      const chosen = [...files]
      let refusal: string | undefined
      for (const file of added) {
        const bytes = chosen.reduce((sum, one) => sum + one.file.size, file.size)
        if (chosen.length >= maxFiles) refusal = box.tooManyFiles(maxFiles)
        else if (bytes > maxBytes) refusal = box.tooLargeFile(file.name, maxBytes)
        else chosen.push(toAttachment(file))
      }
      setFiles(chosen)
      setProblem(refusal)
    },
    [files, maxFiles, maxBytes, box],
  )
  useDrop(field, isOn, add, setDragged)
  return {
    files,
    problem,
    isDragged,
    add,
    remove(localId) {
      setFiles(files.filter(one => one.localId !== localId))
      setProblem(undefined)
    },
    clear() {
      setFiles([])
      setProblem(undefined)
    },
  }
}

/** A file dropped next to the composer must not replace the page, so the whole box accepts it. */
function useDrop(
  field: RefObject<HTMLElement | null>,
  isOn: boolean,
  add: (files: Iterable<File>) => void,
  setDragged: (is: boolean) => void,
): void {
  const newest = useRef(add)
  newest.current = add
  useEffect(() => {
    const root = field.current?.closest<HTMLElement>('.argot-box-root')
    if (!isOn || !root) return
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setDragged(true)
    }
    const onLeave = ({ relatedTarget }: DragEvent): void => {
      if (!(relatedTarget instanceof Node && root.contains(relatedTarget))) setDragged(false)
    }
    const onDrop = (event: DragEvent): void => {
      setDragged(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      newest.current(event.dataTransfer?.files ?? [])
    }
    root.addEventListener('dragover', onOver)
    root.addEventListener('dragleave', onLeave)
    root.addEventListener('drop', onDrop)
    return () => {
      root.removeEventListener('dragover', onOver)
      root.removeEventListener('dragleave', onLeave)
      root.removeEventListener('drop', onDrop)
    }
  }, [field, isOn, setDragged])
}

function toAttachment(file: File): ChatDraftAttachment {
  return { localId: `${file.name}-${file.size}-${Math.random().toString(36).slice(2, 8)}`, file }
}
