/** One row of docs/errors.md. */
export interface ErrorRow {
  /** The heading that the table is under. */
  section: string
  code: string
  meaning: string
  cure: string
}

/** The rows of every table `Code | Meaning | Cure` of a page. Throws on a row that has not three cells. */
export function errorRows(markdown: string): ErrorRow[] {
  const rows: ErrorRow[] = []
  let section = ''
  for (const line of markdown.split(/\r?\n/)) {
    section = /^##\s+(.*?)\s*$/.exec(line)?.[1] ?? section
    const first = /^\|\s*`([A-Z][A-Z0-9_]*)`\s*\|/.exec(line)
    if (first === null) continue
    const cells = line.split(/(?<!\\)\|/).map(cell => cell.trim())
    if (cells.length !== 5) throw new Error(`The row of ${first[1]} must have three cells: code, meaning, cure.`)
    rows.push({ section, code: first[1]!, meaning: cells[2]!, cure: cells[3]! })
  }
  return rows
}
