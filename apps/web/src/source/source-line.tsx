import type { ReactNode } from 'react'
import type { SourceToken } from './source-token.ts'

/** A range of a line with a problem, from one column (counted from 0) to another. */
export interface LineMark {
  from: number
  to: number
  isError: boolean
}

export interface SourceLineProps {
  text: string
  tokens: readonly SourceToken[] | undefined
  marks: readonly LineMark[]
}

/** One line's text: markup recedes, and problems are underlined. */
export function SourceLine({ text, tokens = [{ text, kind: undefined }], marks }: SourceLineProps): ReactNode {
  let at = 0
  return tokens.flatMap((token, index) => {
    const start = at
    at += token.text.length
    return cut(token.text, start, marks).map(({ text: piece, mark }, number) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no names
      <span key={`${index} ${number}`} data-kind={token.kind} data-wrong={mark && (mark.isError ? 'error' : 'warning')}>
        {piece}
      </span>
    ))
  })
}

/** A token in pieces that are entirely inside or outside every mark. */
function cut(text: string, start: number, marks: readonly LineMark[]): { text: string; mark: LineMark | undefined }[] {
  const end = start + text.length
  const places = new Set([start, end])
  for (const { from, to } of marks) for (const one of [from, to]) if (one > start && one < end) places.add(one)
  const sorted = [...places].sort((a, b) => a - b)
  return sorted.slice(0, -1).map((from, index) => ({
    text: text.slice(from - start, sorted[index + 1]! - start),
    mark: marks.find(mark => mark.from <= from && from < mark.to),
  }))
}
