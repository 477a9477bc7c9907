import type { Paint } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { cutEnd, measureWidth } from '../io/width.ts'
import type { Editor } from './editor.ts'
import { hasDoubtfulWidth } from './graphemes.ts'
import { type LayoutRow, layoutText } from './layout-text.ts'

export interface Drawing {
  lines: string[]
  cursor?: { row: number; column: number } | undefined
}

export interface EditorDrawOptions {
  columns: number
  rows: number
  items: number
  paint: Paint
  hint?: string
}

const MARK = '❯ '

export function textColumns(columns: number): number {
  return Math.max(4, columns - MARK.length - 2)
}

export function drawEditor(editor: Editor, options: EditorDrawOptions): Drawing {
  const { columns, paint } = options
  if (editor.search !== undefined) return drawSearch(editor, options)
  const { composer } = editor
  const { rows, cursorRow, cursorColumn } = layoutText(
    composer.text,
    composer.cursor,
    textColumns(columns),
    composer.blocks,
  )
  const visible = Math.max(1, Math.min(rows.length, options.rows))
  const first = Math.max(0, Math.min(cursorRow - (visible >> 1), rows.length - visible))
  const lines = rows.slice(first, first + visible).map((row, index) => {
    const mark = index === 0 ? paint(MARK, 'cyan') : '  '
    return mark + drawRow(row, MARK.length, paint)
  })
  if (composer.isEmpty && options.hint !== undefined)
    lines[0] = paint(MARK, 'cyan') + paint(cutEnd(options.hint, columns - 3), 'dim')
  if (rows.length > visible) {
    const above = first
    const below = rows.length - first - visible
    const words = [above > 0 ? `↑ ${above}` : '', below > 0 ? `↓ ${below}` : ''].filter(word => word !== '')
    lines.push(paint(cutEnd(`  ${words.join('  ')} more`, columns - 1), 'dim'))
  }
  return {
    lines: [...lines, ...drawItems(editor, options)],
    cursor: { row: cursorRow - first, column: MARK.length + cursorColumn },
  }
}

/** Sets the cursor explicitly after graphemes whose width differs between terminals. */
function drawRow({ cells }: LayoutRow, indent: number, paint: Paint): string {
  let column = indent
  let text = ''
  for (const cell of cells) {
    column += cell.width
    if (cell.isBlock) text += paint(cell.text, 'cyan')
    else text += hasDoubtfulWidth(cell.text) ? `${cell.text}\x1b[${column + 1}G` : cell.text
  }
  return text
}

function drawItems({ completion, selected }: Editor, { columns, items: most, paint }: EditorDrawOptions): string[] {
  if (completion === undefined || most < 1) return []
  const { items } = completion
  const first = Math.max(0, Math.min(selected - (most >> 1), items.length - most))
  const visibleItems = items.slice(first, first + most)
  const width = Math.min(columns >> 1, Math.max(...visibleItems.map(({ text }) => measureWidth(text))))
  return visibleItems.map(({ text, about = '' }, index) => {
    const isSelected = first + index === selected
    const name = cutEnd(safeText(text), about === '' ? columns - 5 : Math.max(width, columns - 5 - measureWidth(about)))
    const gap = ' '.repeat(Math.max(0, width - measureWidth(name)))
    const words = about === '' ? '' : cutEnd(safeText(about), columns - 6 - measureWidth(name) - gap.length)
    const line = `${isSelected ? '› ' : '  '}${name}`
    return `  ${isSelected ? paint(line, 'cyan', 'bold') : line}${words === '' ? '' : paint(`${gap}  ${words}`, 'dim')}`
  })
}

function drawSearch({ search }: Editor, { columns, paint }: EditorDrawOptions): Drawing {
  const { query, match } = search!
  const head = `search: ${safeText(query)}`
  const line = cutEnd(safeText(match?.text ?? (query === '' ? '' : 'no matches')).replace(/\s+/g, ' '), columns - 5)
  return {
    lines: [paint(MARK, 'cyan') + cutEnd(head, columns - 4), paint(`  ${line}`, match === undefined ? 'dim' : 'bold')],
    cursor: { row: 0, column: Math.min(columns - 1, MARK.length + measureWidth(head)) },
  }
}
