/** A cell: text is on the left, a number on the right with as many digits as it deserves, undefined is a dash. */
export type Cell = string | number | undefined

/** The rows under their headings, every column as wide as its longest cell, as a Markdown table. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map(row => headings.map((_, column) => cellText(row[column])))
  const right = headings.map((_, column) => rows.some(row => typeof row[column] === 'number'))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, 3, ...texts.map(row => row[column]!.length)),
  )

  function line(cells: readonly string[]): string {
    return `| ${cells.map((cell, column) => (right[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`
  }

  const rule = widths.map((width, column) => (right[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(headings), line(rule), ...texts.map(line)].join('\n')
}

/** 12 345, 123, 12.3, 1.23, 0.123: three digits that count, thousands set apart. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const size = Math.abs(value)
  const digits = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
  const [whole = '', fraction] = value.toFixed(digits).split('.')
  const spaced = whole.replace(/\B(?=(?:\d{3})+$)/g, ' ')
  return fraction === undefined ? spaced : `${spaced}.${fraction}`
}

function cellText(cell: Cell): string {
  return cell === undefined ? '–' : typeof cell === 'number' ? numberText(cell) : cell
}
