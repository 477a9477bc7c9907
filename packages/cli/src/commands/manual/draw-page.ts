import type { Paint } from '../../io/paint.ts'
import { measureWidth } from '../../io/width.ts'
import { MarkdownText } from '../../view/markdown-text.ts'
import { PlainText } from '../../view/plain-text.ts'

/** Longer lines are hard to read. */
const WIDEST = 100

/** A page as terminal rows. Without `paint`, Markdown stays unchanged except for tables. */
export function drawPage(text: string, columns: number, paint: Paint | undefined): string[] {
  const width = Math.min(columns, WIDEST)
  let output = ''
  const options = {
    columns: () => width,
    isMidRow: () => output !== '' && !output.endsWith('\n'),
    write: (piece: string) => {
      output += piece
    },
  }
  const drawing =
    paint === undefined ? new PlainText({ ...options, paint: piece => piece }) : new MarkdownText({ ...options, paint })
  drawing.push(fitTables(joinLines(text), width))
  drawing.end()
  return output.trimEnd().split('\n')
}

/** Joins the lines of each paragraph and list item, so that they can be wrapped for the screen. */
export function joinLines(text: string): string {
  const lines: string[] = []
  let isCode = false
  let isOpen = false
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    const isBlock = isCode || /^\s*(?:$|```|~~~|#{1,6} |[-*+] |\d+[.)] |>|\||[-=_*]{3,}\s*$)/.test(line)
    if (isOpen && !isBlock) lines[lines.length - 1] += ` ${line.trim()}`
    else lines.push(line)
    // A heading, a rule or an empty line ends the paragraph.
    isOpen = !isCode && !/^\s*(?:$|```|~~~|#{1,6} |>|\||[-=_*]{3,}\s*$)/.test(line)
  }
  return lines.join('\n')
}

/** Turns tables that are too wide into lists, because a terminal would break their rows anywhere. */
export function fitTables(text: string, columns: number): string {
  return text.replaceAll(/(?:^\|.*\|[ \t]*\n)+/gm, table => fitTable(table, columns))
}

function fitTable(table: string, columns: number): string {
  const rows = table.trimEnd().split('\n').map(splitRow)
  const [head = [], rule = [], ...body] = rows
  if (!rule.every(cell => /^:?-+:?$/.test(cell))) return table
  const widths = head.map((_, index) => Math.max(...[head, ...body].map(row => measureWidth(row[index] ?? ''))))
  const width = widths.reduce((sum, one) => sum + one + 3, 1)
  if (width < columns) {
    const line = (row: readonly string[]): string =>
      `| ${widths.map((one, index) => (row[index] ?? '') + ' '.repeat(one - measureWidth(row[index] ?? ''))).join(' | ')} |\n`
    return [line(head), line(widths.map(one => '-'.repeat(one))), ...body.map(line)].join('')
  }
  return body
    .map(([first = '', ...others]) => {
      const cells = others.flatMap((cell, index) =>
        cell === '' ? [] : [describeCell(head[index + 1] ?? '', cell, others)],
      )
      return `- ${first}: ${cells.join('; ')}\n`
    })
    .join('')
}

/** With only one cell besides the first, its heading adds nothing. */
function describeCell(heading: string, cell: string, others: readonly string[]): string {
  return others.length === 1 || heading === '' ? cell : `${heading.toLowerCase()}: ${cell}`
}

function splitRow(row: string): string[] {
  return row
    .replace(/^\||\|[ \t]*$/g, '')
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'))
}
