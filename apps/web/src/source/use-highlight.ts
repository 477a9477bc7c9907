import { useEffect, useRef, useState } from 'react'
import type { SourceToken } from './source-token.ts'

/** Longer texts are shown as they are. */
const LONGEST = 300_000
/** Typing is left alone for this many milliseconds. */
const REST = 120

interface Highlighted {
  lines: readonly string[]
  tokens: readonly SourceToken[][]
}

/**
 * The tokens of each line of a text; undefined for a line that was not read yet. The highlighter is loaded when the
 * first text is there. While somebody types, lines that stayed as they were keep their tokens.
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
    // Without the highlighter, which may not have come, the text is shown as it is.
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
