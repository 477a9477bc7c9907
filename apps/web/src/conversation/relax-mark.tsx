import { visibleLine } from '@argot/core/stream/internal'
import { type ReactNode, useState } from 'react'
import type { Relax } from '../server/use-relax.ts'

/** Says that calls run without a question, where and until when, with a way out. */
export function RelaxMark({ relax, root }: { relax: Relax | undefined; root: string | undefined }): ReactNode {
  const [problem, setProblem] = useState<string>()
  return relax?.active.map(({ folder, until }) => (
    <div key={folder} className="bar relax" role="status" data-tone="wait">
      <span>
        <strong>Calls in {folderName(folder, root)} run without asking</strong> until{' '}
        {new Date(until).toLocaleTimeString('en', { hour12: false, hour: '2-digit', minute: '2-digit' })}.
        {problem !== undefined && <span className="failed"> {problem}</span>}
      </span>
      <button
        type="button"
        className="button"
        data-kind="small"
        aria-label={`Off: ask again in ${folderName(folder, root)}`}
        onClick={() => {
          setProblem(undefined)
          relax
            .end(folder)
            .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
        }}
      >
        Off
      </button>
    </div>
  ))
}

/** The folder that is served has its own name. */
export function folderName(folder: string, root: string | undefined): string {
  return visibleLine(folder === '' ? (root ?? 'this folder') : folder)
}
