import type { Diagnostic } from '@argot/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'

/** A draft is checked after it has stayed the same this long. */
const SETTLE_MS = 200

export function DraftPreview({ path, text }: { path: string; text: string }): ReactNode {
  const { newDocument: words } = useWords()
  const [findings, setFindings] = useState<readonly Diagnostic[]>([])
  useEffect(() => {
    const signal = new AbortController()
    const timer = setTimeout(() => {
      api.checkDraft(path, text, signal.signal).then(setFindings, () => {})
    }, SETTLE_MS)
    return () => {
      clearTimeout(timer)
      signal.abort()
    }
  }, [path, text])
  return (
    <section className="new-preview" aria-label={words.preview}>
      <p className="meta">{words.writtenTo(path)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long document is scrolled with keys */}
      <pre tabIndex={0}>{text === '' ? words.empty : text}</pre>
      <div role="status">
        {findings.map(({ severity, message, range }) => (
          <p key={`${range?.start.offset} ${message}`} className={severity === 'error' ? 'failed' : 'meta'}>
            {message}
          </p>
        ))}
      </div>
    </section>
  )
}
