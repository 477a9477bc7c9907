/** The cells of a table as CSV (RFC 4180): every character of them, in lines that end with CRLF. */
export function tableCsv(table: HTMLTableElement): string {
  return toCsv(Array.from(table.rows, row => Array.from(row.cells, cell => cell.textContent ?? '')))
}

export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.map(toField).join(',')}\r\n`).join('')
}

/** What spreadsheets take for a formula, wide forms included. */
const formula = /^\s*[=+\-@＝＋－＠]\s*\S/
const number = /^\s*[+-]?\s?[\d.,' \u00a0\u202f]*\d[\d.,' \u00a0\u202f]*\s?%?\s*$/

/**
 * A model wrote the table, so a cell may be a formula that sends data elsewhere: an apostrophe before it makes it text.
 * Numbers with a sign are left alone.
 */
function toField(cell: string): string {
  const text = formula.test(cell) && !number.test(cell) ? `'${cell}` : cell
  return /[",\r\n]|^\s|\s$/.test(text) || text !== cell ? `"${text.replaceAll('"', '""')}"` : text
}
