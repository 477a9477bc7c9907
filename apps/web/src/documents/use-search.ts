import type { Api } from '@argot/server/api'
import { useEffect, useState } from 'react'
import { api } from '../server/api.ts'

export type PageSearchHit = Api['searchDocuments']['answer']['hits'][number]

/** Text is searched for after it has stayed the same this long. */
const SETTLE_MS = 120

export function useSearch(words: string): readonly PageSearchHit[] | undefined {
  const [result, setResult] = useState<{ words: string; hits: readonly PageSearchHit[] }>()
  const isWords = /[\p{L}\p{N}]/u.test(words)
  useEffect(() => {
    if (!isWords) return
    const signal = new AbortController()
    const timer = setTimeout(() => {
      api.search(words, signal.signal).then(
        ({ hits }) => setResult({ words, hits }),
        () => signal.signal.aborted || setResult({ words, hits: [] }),
      )
    }, SETTLE_MS)
    return () => {
      clearTimeout(timer)
      signal.abort()
    }
  }, [words, isWords])
  if (!isWords) return []
  return result?.words === words ? result.hits : undefined
}
