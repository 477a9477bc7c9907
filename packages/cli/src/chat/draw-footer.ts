import { english } from '@argot/core/stream'
import { type Drawing, drawEditor } from '../composer/draw-editor.ts'
import type { Editor } from '../composer/editor.ts'
import type { Paint } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { cutEnd, cutMiddle, measureWidth } from '../io/width.ts'
import { spinnerAt } from '../view/call-line.ts'
import { oneLine } from '../view/safe-pieces.ts'
import type { CallPanel } from './call-panel.ts'
import type { Panel } from './panel.ts'

export interface FooterState {
  columns: number
  rows: number
  paint: Paint
  editor: Editor
  panel: Panel | undefined
  isPanelOpen: boolean
  calls: CallPanel | undefined
  /** Undefined while nothing runs. */
  running: { words: string; milliseconds: number } | undefined
  frame: number
  queue: readonly string[]
  hint: string | undefined
  status: readonly string[]
  document: string
}

/** Screens with fewer rows have no room for a frame. */
const SMALL_ROWS = 14
const NARROW_COLUMNS = 60
const MOST_QUEUED = 3

/** Everything below the conversation: waiting messages, the question, the composer and the status. */
export function drawFooter(state: FooterState): Drawing {
  const { columns, rows, paint, panel, editor } = state
  const isSmall = rows < SMALL_ROWS
  const rule = paint('─'.repeat(Math.max(1, columns - 1)), 'dim')
  const budget = Math.max(3, rows - 4)
  // A small screen shows only the question or the completions.
  const isFull = isSmall && (panel !== undefined || editor.completion !== undefined)
  const above = [...(isSmall ? [] : ['']), ...(isFull ? [] : [...drawRunning(state), ...drawQueue(state)])]
  const below = isFull ? [] : [drawStatus(state)]
  const frame = isSmall ? 1 : 2
  const room = budget - above.length - below.length - frame
  const lines = [...above]
  let cursor: Drawing['cursor']
  const add = (drawing: Drawing, hasCursor: boolean): void => {
    if (hasCursor && drawing.cursor !== undefined)
      cursor = { row: lines.length + drawing.cursor.row, column: drawing.cursor.column }
    lines.push(...drawing.lines)
  }
  const hasDraft = !editor.composer.isEmpty
  if (panel === undefined && state.calls !== undefined)
    lines.push(...state.calls.draw({ columns, rows: Math.max(4, Math.min(room - 3, rows >> 1)), paint }))
  lines.push(rule)
  if (panel !== undefined)
    add(panel.draw({ columns, rows: room - (hasDraft ? 2 : 0), paint, isOpen: state.isPanelOpen }), state.isPanelOpen)
  if (panel === undefined || hasDraft) {
    const isAlone = panel === undefined
    const editorRows = Math.max(1, Math.min(isAlone ? room : 1, rows >> 1))
    const items = isAlone ? Math.max(0, Math.min(8, room - 2)) : 0
    const most = Math.max(
      1,
      editorRows - (editor.completion === undefined ? 0 : Math.min(items, editor.completion.items.length)),
    )
    const hint =
      state.running === undefined
        ? 'Type a message, / for commands, @ for files'
        : 'Enter: send next, Ctrl S: add to this run'
    if (!isAlone) lines.push(rule)
    add(drawEditor(editor, { columns, rows: most, items, paint, hint }), isAlone || !state.isPanelOpen)
  }
  if (!isSmall) lines.push(rule)
  lines.push(...below)
  return { lines, cursor }
}

function drawQueue({ queue, columns, paint }: FooterState): string[] {
  const rows = queue.slice(0, MOST_QUEUED).map(text => {
    return paint(`  ${cutEnd(oneLine(text, 500), columns - 4)}`, 'dim')
  })
  if (queue.length > MOST_QUEUED) rows.push(paint(`  and ${queue.length - MOST_QUEUED} more`, 'dim'))
  return rows
}

function drawRunning({ running, frame, columns, paint, panel }: FooterState): string[] {
  if (running === undefined || panel !== undefined) return []
  const { words, milliseconds } = running
  const seconds = Math.floor(milliseconds / 1000)
  const time = seconds < 1 ? '' : ` · ${seconds < 60 ? `${seconds} s` : english.duration(milliseconds)}`
  const rest = `${time} · Esc stops`
  const head = cutEnd(words, Math.max(1, columns - 4 - rest.length))
  return [`${paint(spinnerAt(frame), 'yellow')} ${head}${paint(rest, 'dim')}`]
}

function drawStatus({ hint, status, document, columns, paint }: FooterState): string {
  if (hint !== undefined) return paint(`  ${cutEnd(safeText(hint), columns - 3)}`, 'yellow')
  // The provider's name matters least.
  const [model = '', ...rest] = status.map(one => oneLine(one, 100))
  const name = columns < NARROW_COLUMNS ? model.slice(model.indexOf(':') + 1) : model
  const left = `  ${cutEnd([name, ...rest].join(' · '), columns - 3)}`
  const room = columns - 1 - measureWidth(left) - 2
  const path = room < 12 ? '' : cutMiddle(oneLine(document, 500), room)
  const gap = ' '.repeat(Math.max(0, columns - 1 - measureWidth(left) - measureWidth(path)))
  return paint(path === '' ? left : `${left}${gap}${path}`, 'dim')
}
