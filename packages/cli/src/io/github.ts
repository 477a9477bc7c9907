import type { Diagnostic } from '@argot/core'

/** A diagnostic in the format that GitHub Actions shows next to its line. */
export function githubLine({ severity, code, message, cure, file, range }: Diagnostic): string {
  const kind = severity === 'info' ? 'notice' : severity
  const fields: [string, string | number][] = []
  if (file !== undefined) fields.push(['file', file])
  if (range !== undefined) {
    const { start, end } = range
    fields.push(['line', start.line], ['col', start.column], ['endLine', end.line], ['endColumn', end.column])
  }
  fields.push(['title', code])
  const place = fields.map(([name, value]) => `${name}=${escapeField(String(value))}`).join(',')
  return `::${kind} ${place}::${escapeText(cure === undefined ? message : `${message} ${cure}`)}\n`
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeField(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
