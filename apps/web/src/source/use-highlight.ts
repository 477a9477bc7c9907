import { useEffect, useRef, useState } from 'react'
import type { SourceToken } from './source-token.ts'

/** Longer texts are not highlighted. */
const LONGEST = 300_000
/** Highlighting waits for a pause in typing of this many milliseconds. */
const REST = 120

interface Highlighted {
  lines: readonly string[]
  tokens: readonly SourceToken[][]
}

/**
 * The tokens of each line of a text; undefined for a line that has not been read yet. The highlighter loads with the
 * first text. During typing, unchanged lines keep their tokens.
 */
export function useHighlight(text: string, lines: readonly string[]): (line: number) => SourceToken[] | undefined {
  const [done, setDone] = useState<Highlighted>({ lines: [], tokens: [] })
  const isFirst = useRef(true)
  useEffect(() => {
    if (text === '' || text.length > LONGEST) return
    const stop = new AbortController()
    const read = async (): Promise<void> => {
      const { highlightChatMd } = await import('./highlight-chatmd.ts')
      const tokens = stop.signal.aborted ? undefined : await highlightChatMd(text, stop.signal)
      if (tokens !== undefined) setDone({ lines: text.split('\n'), tokens })
    }
    // If the highlighter can't be loaded, the text stays plain.
    const timer = setTimeout(() => void read().catch(() => {}), isFirst.current ? 0 : REST)
    isFirst.current = false
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [text])
  const shift = done.lines.length - lines.length
  return line => {
    const target = lines[line]
    if (done.lines[line] === target) return done.tokens[line]
    return done.lines[line + shift] === target ? done.tokens[line + shift] : undefined
  }
}
