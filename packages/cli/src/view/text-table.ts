import { cutEnd, measureWidth } from '../io/width.ts'

/** Rows of cells, with the head first. The first column is left-aligned, the others right-aligned. */
export type Cells = readonly (readonly string[])[]

/**
 * A table in lines of at most this many columns. If it is wider, further columns follow in more tables, which repeat
 * the first column.
 */
export function textTable(rows: Cells, columns: number): string[] {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map(row => measureWidth(row[index]!))))
  const first = Math.min(widths[0]!, Math.max(8, Math.floor(columns / 2)))
  const lines: string[] = []
  for (const group of splitColumns(widths, columns - first)) {
    if (lines.length > 0) lines.push('')
    for (const row of rows) {
      const cells = group.map(index => ' '.repeat(widths[index]! - measureWidth(row[index]!)) + row[index]!)
      const name = cutEnd(row[0]!, first)
      lines.push([name + ' '.repeat(first - measureWidth(name)), ...cells].join('  ').trimEnd())
    }
  }
  return lines
}

function splitColumns(widths: readonly number[], room: number): number[][] {
  const groups: number[][] = [[]]
  let used = 0
  for (let index = 1; index < widths.length; index++) {
    const width = widths[index]! + 2
    const group = groups.at(-1)!
    if (used + width > room && group.length > 0) {
      groups.push([index])
      used = width
    } else {
      group.push(index)
      used += width
    }
  }
  return groups
}

/** The same as a Markdown table. Cells are escaped. */
export function markdownTable(rows: Cells): string[] {
  const [head = [], ...body] = rows.map(row => `| ${row.map(escapeCell).join(' | ')} |`)
  const rule = `|${rows[0]!.map((_, index) => (index === 0 ? ' --- |' : ' ---: |')).join('')}`
  return [head as string, rule, ...body]
}

export function escapeCell(text: string): string {
  return text.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s+/g, ' ')
}
