import { visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocale } from '../locale/frame-locale.ts'
import type { DraftFiles } from './composer/use-attachments.ts'

export default function AttachedFiles({ draft }: { draft: DraftFiles }): ReactNode {
  const { box } = useLocale()
  const { files, problem, isDragged } = draft
  return (
    <>
      {files.length > 0 && (
        <ul className="argot-chips" data-part="chips">
          {files.map(({ localId, file }) => (
            <li key={localId} className="argot-chip" data-part="chip">
              {file.type.startsWith('image/') && <Preview file={file} />}
              <span dir="auto">{visibleLine(file.name)}</span>
              <button
                type="button"
                className="argot-link"
                aria-label={box.removeFile(visibleLine(file.name))}
                onClick={() => draft.remove(localId)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p className="argot-fail" role="alert">
          {problem}
        </p>
      )}
      {isDragged && <p className="argot-dim">{box.dropFiles}</p>}
    </>
  )
}

/** Without a description: the file name is next to it. */
function Preview({ file }: { file: File }): ReactNode {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const address = URL.createObjectURL(file)
    setUrl(address)
    return () => URL.revokeObjectURL(address)
  }, [file])
  return url === undefined ? null : <img className="argot-attached" src={url} alt="" width={32} height={32} />
}
