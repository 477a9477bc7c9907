import { visibleText } from '@argot/core/stream'
import type { ReactNode } from 'react'
import { BodyBox } from '../bodies/body-box.tsx'
import { BodyStateScope } from '../bodies/body-state.tsx'
import { CommandLine } from '../bodies/command-line.tsx'
import { Diff } from '../bodies/diff/diff.tsx'
import { JsonBody, MOST_ROWS } from '../bodies/json/json-body.tsx'
import { jsonRows } from '../bodies/json/json-rows.ts'
import { toPairs } from '../bodies/json/pairs-body.tsx'
import { countLines } from '../bodies/text/cut-text.ts'
import { shortText, TextBody } from '../bodies/text/text-body.tsx'
import { usePartLocale } from '../locale/part-locale.ts'
import { type InputNotes, type JudgedPiece, judgedInput, pickRewritten } from './approval/judged-input.ts'

export interface InputBodyProps {
  input: unknown
  toolName: string
  notes?: InputNotes | undefined
  /** For approvals: nothing is left out, except what exceeds this many lines of a text. */
  lines?: number | undefined
  /** Controlled: whether all of it is shown. */
  isWhole?: boolean | undefined
  onWhole?: ((isWhole: boolean) => void) | undefined
  /** Replaces the diff that the run predicts, if its changes are judged one by one. */
  parts?: ReactNode
}

/**
 * A complete input, in a form that a person can judge. With `isWhole`, every key and string that a diff or a command
 * line replaces is also shown as written.
 */
export function InputBody({ input, toolName, notes, parts, ...cut }: InputBodyProps): ReactNode {
  const { body } = usePartLocale()
  const pieces = judgedInput(input, toolName, notes)
  const rewrittenFields = cut.onWhole === undefined ? undefined : pickRewritten(input, pieces)
  return (
    <>
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one input never move
        <BodyStateScope key={index} name={String(index)}>
          {parts !== undefined && isPredictedDiff(piece) ? parts : <Piece piece={piece} {...cut} />}
        </BodyStateScope>
      ))}
      {rewrittenFields !== undefined &&
        (cut.isWhole === true ? (
          <BodyStateScope name="whole">
            <JsonBody value={rewrittenFields} name={body.input} isAll lines={Number.POSITIVE_INFINITY} />
          </BodyStateScope>
        ) : (
          <button
            type="button"
            className="argot-link argot-start"
            aria-expanded={false}
            onClick={() => cut.onWhole?.(true)}
          >
            {body.showInput}
          </button>
        ))}
    </>
  )
}

type Cut = Pick<InputBodyProps, 'lines' | 'isWhole' | 'onWhole'>

function Piece({ piece, lines, isWhole, onWhole }: Cut & { piece: JudgedPiece }): ReactNode {
  const { body } = usePartLocale()
  const isJudged = lines !== undefined
  switch (piece.kind) {
    case 'command':
      return (
        <BodyBox
          name={piece.keys.length > 0 ? piece.keys.join(' · ') : undefined}
          copy={isJudged ? undefined : () => piece.command}
        >
          <CommandLine command={piece.command} />
        </BodyBox>
      )
    case 'diff': {
      const { name, before, after, diff, isPredicted } = piece
      const lineLimit = isWhole === true ? Number.POSITIVE_INFINITY : lines
      return (
        <Diff
          name={name}
          before={before}
          after={after}
          diff={diff}
          isJudged={isJudged}
          withHeads={isJudged && isPredicted !== true}
          lines={lineLimit}
          onWhole={onWhole}
        />
      )
    }
    case 'text': {
      const { text, keys, name } = piece
      return (
        <TextBody
          text={text}
          name={name ?? keys[0] ?? body.diff}
          meta={isJudged && name !== undefined && keys.length > 0 ? keys.join(' · ') : undefined}
          isJudged={isJudged}
          lines={lines}
          isWhole={isWhole}
          onWhole={onWhole}
        />
      )
    }
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
          isAll={isJudged}
          lines={isWhole === true ? Number.POSITIVE_INFINITY : lines}
          onWhole={onWhole}
        />
      )
  }
}

/** How many of an input's lines are hidden if each text shows at most this many. */
export function hiddenLines(input: unknown, toolName: string, notes: InputNotes, lines: number): number {
  return judgedInput(input, toolName, notes).reduce((sum, piece) => {
    if (piece.kind === 'text') return sum + hiddenIn(visibleText(piece.text), lines)
    if (piece.kind === 'rest') return sum + hiddenRows(piece.value, lines)
    if (piece.kind !== 'diff') return sum
    if (notes.parts !== undefined && isPredictedDiff(piece)) {
      return notes.parts.reduce((all, { diff }) => all + Math.max(0, countLines(diff) - lines), sum)
    }
    const lineCount = countLines(piece.diff ?? '') || countLines(piece.before ?? '') + countLines(piece.after ?? '')
    return sum + Math.max(0, lineCount - lines)
  }, 0)
}

function isPredictedDiff(piece: JudgedPiece): boolean {
  return piece.kind === 'diff' && piece.isPredicted === true
}

/** A cut line is counted as hidden. */
function hiddenIn(text: string, lines: number): number {
  if (lines === Number.POSITIVE_INFINITY) return 0
  const short = shortText(text, lines)
  return short.length >= text.length - 1 ? 0 : Math.max(1, countLines(text) - countLines(short))
}

/** This many lines of a tree are counted; for a larger one it is enough to know that it is large. */
const MOST_COUNTED = 100_000

function hiddenRows(value: unknown, lines: number): number {
  if (toPairs(value) !== undefined) return 0
  let count = 0
  for (const _ of jsonRows(value, new Set(), true)) if (++count >= MOST_COUNTED) break
  return Math.max(0, count - Math.min(lines, MOST_ROWS))
}

function PathList({ paths }: { paths: readonly string[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: without markers Safari takes the role away
    <ul className="argot-paths" data-part="paths" role="list">
      {paths.map((path, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may name a path twice
        <li key={index}>{visibleText(path)}</li>
      ))}
    </ul>
  )
}
