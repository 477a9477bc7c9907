/**
 * Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it; numbers keep their
 * sign.
 */
export function toCsv(rows: Iterable<readonly unknown[]>): string {
  let csv = ''
  for (const row of rows) csv += `${row.map(toCell).join(',')}\r\n`
  return csv
}

function toCell(value: unknown): string {
  const text = toText(value)
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text
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

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
}
