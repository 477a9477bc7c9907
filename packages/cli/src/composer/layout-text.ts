import { safeText } from '../io/safe-text.ts'
import { graphemes, graphemeWidth } from './graphemes.ts'
import type { PasteBlocks } from './paste-blocks.ts'

export interface Cell {
  start: number
  length: number
  text: string
  width: number
  isBlock: boolean
}

export interface LayoutRow {
  start: number
  /** The end position in the text, without the line feed. */
  end: number
  cells: Cell[]
}

export interface TextLayout {
  rows: LayoutRow[]
  cursorRow: number
  cursorColumn: number
}

/** Wraps text into rows of at most `columns` columns, breaking between words, and locates the cursor. */
export function layoutText(text: string, cursor: number, columns: number, blocks?: PasteBlocks): TextLayout {
  const rows: LayoutRow[] = []
  let start = 0
  for (const line of text.split('\n')) {
    rows.push(...layoutLine(line, start, Math.max(2, columns), blocks))
    start += line.length + 1
  }
  let cursorRow = rows.findIndex(
    (row, index) =>
      cursor >= row.start && (cursor < row.end || (cursor === row.end && rows[index + 1]?.start !== row.end)),
  )
  if (cursorRow === -1) cursorRow = rows.length - 1
  const cursorColumn = rows[cursorRow]!.cells.reduce((sum, cell) => sum + (cell.start < cursor ? cell.width : 0), 0)
  return { rows, cursorRow, cursorColumn }
}

function layoutLine(line: string, offset: number, columns: number, blocks: PasteBlocks | undefined): LayoutRow[] {
  const rows: LayoutRow[] = []
  let cells: Cell[] = []
  let width = 0
  const endRow = (next: Cell[]): void => {
    rows.push(toRow(cells, offset))
    cells = next
    width = next.reduce((sum, cell) => sum + cell.width, 0)
  }
  for (const { text, start } of graphemes(line)) {
    const cell = toCell(text, offset + start, columns, blocks)
    // A space after a word that fills its row stays on that row.
    const room = cell.text === ' ' ? columns + 1 : columns
    if (width + cell.width > room && cells.length > 0) {
      const at = cell.text === ' ' ? -1 : cells.findLastIndex(one => one.text === ' ')
      endRow(at === -1 ? [] : cells.splice(at + 1))
      if (width + cell.width > columns && cells.length > 0) endRow([])
    }
    cells.push(cell)
    width += cell.width
  }
  rows.push(cells.length === 0 && rows.length === 0 ? { start: offset, end: offset, cells } : toRow(cells, offset))
  return rows
}

function toRow(cells: Cell[], offset: number): LayoutRow {
  const last = cells.at(-1)
  return { start: cells[0]?.start ?? offset, end: last === undefined ? offset : last.start + last.length, cells }
}

function toCell(text: string, start: number, columns: number, blocks: PasteBlocks | undefined): Cell {
  const label = blocks?.label(text)
  if (label !== undefined) {
    const shortLabel = label.slice(0, columns)
    return { start, length: text.length, text: shortLabel, width: shortLabel.length, isBlock: true }
  }
  const glyphs = text === '\t' ? '    ' : safeText(text)
  return {
    start,
    length: text.length,
    text: glyphs,
    width: graphemeWidth(text === '\t' ? text : glyphs),
    isBlock: false,
  }
}
