import { memo, type ReactNode, useRef } from 'react'
import { type CodeLanguage, codeLanguage, detectLanguage } from './code-language.ts'
import { type CodeToken, lexLine, type OpenToken } from './lex-code.ts'

/** A longer text is plain from here on. */
const LONGEST = 30_000
const MOST_LINES = 1000

export interface HighlightedProps {
  text: string
  language?: string | undefined
  path?: string | undefined
}

interface HighlightedLine {
  text: string
  tokens: readonly CodeToken[]
  open: OpenToken
}

/** Highlighted code, using shade and weight but never hue. A growing text is read from its last line on. */
export default function Highlighted({ text, language, path }: HighlightedProps): ReactNode {
  const codeLang = language === undefined ? path && detectLanguage(path) : codeLanguage(language)
  const previous = useRef<{ language: CodeLanguage | undefined; lines: readonly HighlightedLine[] }>({
    language: undefined,
    lines: [],
  })
  if (codeLang === undefined || codeLang === '') return text
  const cut = cutAt(text)
  const before = previous.current.language === codeLang ? previous.current.lines : []
  const lines = readLines(text.slice(0, cut), codeLang, before)
  previous.current = { language: codeLang, lines }
  return (
    <>
      {lines.map(({ tokens }, index) =>
        // A line break at the very end shows nothing, and would move when the next line begins.
        cut === text.length && index > 0 && index === lines.length - 1 && tokens.length === 0 ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never move
          <Line key={index} tokens={tokens} isFirst={index === 0} />
        ),
      )}
      {text.slice(cut)}
    </>
  )
}

/** The break is before a line: one after it would move while the line grows. */
const Line = memo(function Line({ tokens, isFirst }: { tokens: readonly CodeToken[]; isFirst: boolean }): ReactNode {
  return (
    <>
      {!isFirst && '\n'}
      {tokens.map(({ text, kind }, index) =>
        kind === undefined ? (
          text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line never move
          <span key={index} className={`argot-token-${kind}`}>
            {text}
          </span>
        ),
      )}
    </>
  )
})

/** Where highlighting stops: at the end of a line. */
function cutAt(text: string): number {
  let end = -1
  for (let line = 0; line < MOST_LINES; line++) {
    const next = text.indexOf('\n', end + 1)
    if (next < 0) return text.length <= LONGEST ? text.length : Math.max(0, end)
    if (next > LONGEST) return Math.max(0, end)
    end = next
  }
  return end
}

/** A text's lines; those with an unchanged beginning are reused. */
function readLines(text: string, language: CodeLanguage, before: readonly HighlightedLine[]): HighlightedLine[] {
  const lines: HighlightedLine[] = []
  let open: OpenToken
  let isSame = true
  text.split('\n').forEach((line, index) => {
    const earlier = isSame ? before[index] : undefined
    if (earlier !== undefined && earlier.text === line) lines.push(earlier)
    else {
      isSame = false
      const lexed = lexLine(line, language, open)
      lines.push({ text: line, tokens: lexed.tokens, open: lexed.open })
    }
    open = lines[index]!.open
  })
  return lines
}
