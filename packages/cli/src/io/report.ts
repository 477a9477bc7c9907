import { type Diagnostic, formatDiagnostic } from '@argot/core'
import { createLineCounter } from '@argot/core/stream/internal'
import { getColumns } from './columns.ts'
import { type Io, jsonLine, print, tell } from './io.ts'

const MOST_SHOWN = 20

/**
 * Shows diagnostics: the first ones as source excerpts on stderr, or with `json` all of them on stdout, one per line.
 */
export async function report(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string | undefined, string>,
  json: boolean,
  io: Io,
): Promise<void> {
  if (json) {
    await print(io, diagnostics.map(diagnostic => jsonLine(diagnostic)).join(''))
    return
  }
  for (const excerpt of formatExcerpts(diagnostics, sources, getExcerptWidth(io.stderr)))
    await tell(io, `${excerpt}\n\n`)
}

export function getExcerptWidth(stream: Io['stderr']): number {
  return stream.isTTY === true ? Math.max(16, Math.min(100, getColumns(stream) - 10)) : 100
}

export function formatExcerpts(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string | undefined, string>,
  width = 100,
): string[] {
  const lines = new Map([...sources].map(([file, source]) => [file, createLineCounter(source)]))
  const visible = diagnostics.length > MOST_SHOWN ? mostImportant(diagnostics) : diagnostics
  const excerpts = visible.map(diagnostic => formatDiagnostic(diagnostic, lines.get(diagnostic.file) ?? '', { width }))
  const left = diagnostics.length - visible.length
  if (left > 0) excerpts.push(`… and ${left} more. Fix these first. \`argot check --json\` shows all.`)
  return excerpts
}

/** For example "2 errors and 1 warning". */
export function summariseDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic['severity'], word: string): string[] => {
    const number = diagnostics.filter(diagnostic => diagnostic.severity === severity).length
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? '' : 's'}`]
  }
  const words = [...count('error', 'error'), ...count('warning', 'warning'), ...count('info', 'hint')]
  return words.length === 0 ? 'nothing to fix' : words.join(' and ')
}

function mostImportant(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').slice(0, MOST_SHOWN)
  const others = diagnostics.filter(({ severity }) => severity !== 'error').slice(0, MOST_SHOWN - errors.length)
  const chosenDiagnostics = new Set([...errors, ...others])
  return diagnostics.filter(one => chosenDiagnostics.has(one))
}
