import { visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useState } from 'react'
import type { PageLocale } from '../locale/page-locale.ts'
import { useWords } from '../locale/words.ts'
import type { Relax } from '../server/use-relax.ts'

/** Says that calls run without a question, where and until when, with a button to end it. */
export function RelaxMark({ relax, root }: { relax: Relax | undefined; root: string | undefined }): ReactNode {
  const page = useWords()
  const [problem, setProblem] = useState<string>()
  return relax?.active.map(({ folder, until }) => (
    <div key={folder} className="bar relax" role="status" data-tone="wait">
      <span>
        <strong>{page.relax.mark(folderName(folder, root, page))}</strong>{' '}
        {page.relax.until(page.time(new Date(until)))}
        {problem !== undefined && <span className="failed"> {problem}</span>}
      </span>
      <button
        type="button"
        className="button"
        data-kind="small"
        aria-label={page.relax.offLabel(folderName(folder, root, page))}
        onClick={() => {
          setProblem(undefined)
          relax
            .end(folder)
            .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
        }}
      >
        {page.relax.off}
      </button>
    </div>
  ))
}

/** The served folder is `''`. It is shown by its own name. */
export function folderName(folder: string, root: string | undefined, { relax }: PageLocale): string {
  return visibleLine(folder === '' ? (root ?? relax.thisFolder) : folder)
}
