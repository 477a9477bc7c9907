import { type ReactNode, useRef } from 'react'
import { useLocale } from '../locale/frame-locale.ts'
import type { DraftFiles } from './composer/use-attachments.ts'

export function AttachButton({ draft, accept }: { draft: DraftFiles; accept: string | undefined }): ReactNode {
  const { box } = useLocale()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className="argot-link argot-attach"
        data-part="attach"
        aria-label={box.attach}
        title={box.attach}
        onClick={() => input.current?.click()}
      >
        <svg className="argot-glyph" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M13 7.5l-5.4 5.4a3.2 3.2 0 0 1-4.5-4.5l5.7-5.7a2.1 2.1 0 0 1 3 3l-5.6 5.6a1 1 0 0 1-1.5-1.5l5-5" />
        </svg>
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label={box.attach}
        onChange={event => {
          draft.add(event.target.files ?? [])
          event.target.value = ''
        }}
      />
    </>
  )
}
