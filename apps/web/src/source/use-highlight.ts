import { useEffect, useRef, useState } from 'react'
import type { SourceToken } from './source-token.ts'

/** Longer texts are not highlighted. */
const LONGEST = 300_000
/** Highlighting waits for a pause in typing. */
const TYPING_PAUSE_MS = 120

interface HighlightedLines {
  lines: readonly string[]
  tokens: readonly SourceToken[][]
}

/**
 * The tokens of each line of a text; undefined for a line that has not been read yet. The highlighter loads with the
 * first text. During typing, unchanged lines keep their tokens.
 */
export function useHighlight(text: string, lines: readonly string[]): (line: number) => SourceToken[] | undefined {
  const [highlighted, setHighlighted] = useState<HighlightedLines>({ lines: [], tokens: [] })
  const isFirst = useRef(true)
  useEffect(() => {
    if (text === '' || text.length > LONGEST) return
    const stop = new AbortController()
    const highlight = async (): Promise<void> => {
      const { highlightChatMd } = await import('./highlight-chatmd.ts')
      const tokens = stop.signal.aborted ? undefined : await highlightChatMd(text, stop.signal)
      if (tokens !== undefined) setHighlighted({ lines: text.split('\n'), tokens })
    }
    // If the highlighter can't be loaded, the text stays plain.
    const timer = setTimeout(() => void highlight().catch(() => {}), isFirst.current ? 0 : TYPING_PAUSE_MS)
    isFirst.current = false
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [text])
  const shift = highlighted.lines.length - lines.length
  return line => {
    const target = lines[line]
    if (highlighted.lines[line] === target) return highlighted.tokens[line]
    return highlighted.lines[line + shift] === target ? highlighted.tokens[line + shift] : undefined
  }
}
