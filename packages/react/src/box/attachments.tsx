import { type ReactNode, useRef } from 'react'
import { useLocale } from '../locale/locale-context.ts'
import type { ChatDraftAttachment } from '../types/index.ts'
import { toAttachment } from './to-attachment.ts'

export interface AttachmentsProps {
  files: readonly ChatDraftAttachment[]
  accept: string | undefined
  onChange: (files: readonly ChatDraftAttachment[]) => void
}

/** The button for files, and those that are attached. */
export function Attachments({ files, accept, onChange }: AttachmentsProps): ReactNode {
  const { box } = useLocale()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" className="argot-link argot-attach" onClick={() => input.current?.click()}>
        {box.attach}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label={box.attach}
        onChange={event => {
          onChange([...files, ...[...(event.target.files ?? [])].map(toAttachment)])
          event.target.value = ''
        }}
      />
      {files.length > 0 && (
        <ul className="argot-chips">
          {files.map(({ localId, file }) => (
            <li key={localId} className="argot-chip">
              {file.name}
              <button
                type="button"
                className="argot-link"
                aria-label={box.removeFile(file.name)}
                onClick={() => onChange(files.filter(one => one.localId !== localId))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
