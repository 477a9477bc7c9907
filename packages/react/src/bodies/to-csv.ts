/**
 * Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe. Numbers keep
 * their sign, and a lone sign is not a formula.
 */
export function toCsv(rows: Iterable<readonly unknown[]>): string {
  let csv = ''
  for (const row of rows) csv += `${row.map(toCell).join(',')}\r\n`
  return csv
}

/** What spreadsheets take for a formula, including full-width forms. */
const formula = /^(?:\s*[=+\-@＝＋－＠].|[\t\r].)/s
const number = /^\s*[+-]?\s?(?:\d[\d.,' \u00a0\u202f]*|\.\d+)(?:e[+-]?\d+)?\s?%?\s*$/i

function toCell(value: unknown): string {
  const text = toText(value)
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return String(value)
  }
}
