import type { ReactNode } from 'react'
import { BodyBox } from '../bodies/body-box.tsx'
import { CommandLine } from '../bodies/command-line.tsx'
import { Diff } from '../bodies/diff/diff.tsx'
import { JsonBody, MOST_ROWS } from '../bodies/json/json-body.tsx'
import { jsonRows } from '../bodies/json/json-rows.ts'
import { pairsOf } from '../bodies/json/pairs-body.tsx'
import { KeptScope } from '../bodies/kept.tsx'
import { countLines } from '../bodies/text/cut-text.ts'
import { MiddleCut } from '../bodies/text/middle-cut.tsx'
import { TextBody } from '../bodies/text/text-body.tsx'
import { usePartLocale } from '../locale/locale-context.ts'
import { type JudgedPiece, judgedInput } from './approval/judged-input.ts'

export interface InputBodyProps {
  input: unknown
  toolName: string
  /** The command line that it makes, where that is known. */
  command?: string | undefined
  /** Lines of a text that are shown before a reader asks for all of it. */
  lines?: number | undefined
  /** Whether all of it is shown, where somebody else keeps that. */
  isWhole?: boolean | undefined
  onWhole?: ((isWhole: boolean) => void) | undefined
}

/** An input that is complete, in the form in which it can be judged. */
export function InputBody({ input, toolName, command, ...cut }: InputBodyProps): ReactNode {
  return judgedInput(input, toolName, command).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one input never move
    <KeptScope key={index} name={String(index)}>
      <Piece piece={piece} {...cut} />
    </KeptScope>
  ))
}

type Cut = Pick<InputBodyProps, 'lines' | 'isWhole' | 'onWhole'>

function Piece({ piece, lines, isWhole, onWhole }: Cut & { piece: JudgedPiece }): ReactNode {
  const { body } = usePartLocale()
  switch (piece.kind) {
    case 'command':
      return (
        <BodyBox>
          <CommandLine command={piece.command} />
        </BodyBox>
      )
    case 'diff':
      return <Diff {...piece} lines={isWhole === true ? Number.POSITIVE_INFINITY : lines} onWhole={onWhole} />
    case 'text':
      return <TextBody text={piece.text} name={piece.name} lines={lines} isWhole={isWhole} onWhole={onWhole} />
    case 'paths':
      return (
        <BodyBox name={piece.name} copy={() => piece.paths.join('\n')}>
          <PathList paths={piece.paths} />
        </BodyBox>
      )
    case 'rest':
      return (
        <JsonBody
          value={piece.value}
          name={body.input}
          isAll={lines !== undefined}
          lines={isWhole === true ? Number.POSITIVE_INFINITY : lines}
          onWhole={onWhole}
        />
      )
  }
}

/** How many lines of an input are not shown when each text has at most this many. */
export function hiddenLines(input: unknown, toolName: string, lines: number): number {
  return judgedInput(input, toolName).reduce((sum, piece) => {
    if (piece.kind === 'text') return sum + Math.max(0, countLines(piece.text) - lines)
    if (piece.kind === 'rest') return sum + hiddenRows(piece.value, lines)
    if (piece.kind !== 'diff') return sum
    const changed = countLines(piece.diff ?? '') || countLines(piece.before ?? '') + countLines(piece.after ?? '')
    return sum + Math.max(0, changed - lines)
  }, 0)
}

/** This many lines of a tree are counted; of a larger one it is enough to know that it is large. */
const MOST_COUNTED = 100_000

function hiddenRows(value: unknown, lines: number): number {
  if (pairsOf(value) !== undefined) return 0
  let count = 0
  for (const _ of jsonRows(value, new Set(), true)) if (++count >= MOST_COUNTED) break
  return Math.max(0, count - Math.min(lines, MOST_ROWS))
}

/** Paths, one to a line. */
function PathList({ paths }: { paths: readonly string[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without markers Safari takes the role away
    <ul className="argot-paths" role="list">
      {paths.map((path, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may name a path twice
        <li key={index}>
          <MiddleCut text={path} />
        </li>
      ))}
    </ul>
  )
}
