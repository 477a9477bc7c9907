import { cutEnd, measureWidth } from '../io/width.ts'

/** Rows of cells; the first row is the head. Numbers are to the right, and the first column to the left. */
export type Cells = readonly (readonly string[])[]

/**
 * A table in lines of at most so many columns. If it is wider, its columns continue in a second table below, with the first column
 * again.
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

/** The columns after the first, in groups that fit. */
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

/** The same as a table in Markdown; nothing in a cell ends it or is markup. */
export function markdownTable(rows: Cells): string[] {
  const [head = [], ...body] = rows.map(row => `| ${row.map(escapeCell).join(' | ')} |`)
  const rule = `|${rows[0]!.map((_, index) => (index === 0 ? ' --- |' : ' ---: |')).join('')}`
  return [head as string, rule, ...body]
}

export function escapeCell(text: string): string {
  return text.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s+/g, ' ')
}
