import { countLines, type Diagnostic, formatDiagnostic } from 'argot'
import { type Io, jsonLine, print, tell } from './io.ts'

/** Shows diagnostics: as pictures on stderr, or with `json` one a line on stdout. */
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
  const lines = new Map([...sources].map(([file, source]) => [file, countLines(source)]))
  for (const diagnostic of diagnostics) {
    await tell(io, `${formatDiagnostic(diagnostic, lines.get(diagnostic.file) ?? '')}\n\n`)
  }
}

/** "2 errors and 1 warning", in words. */
export function summary(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic['severity'], word: string): string[] => {
    const number = diagnostics.filter(diagnostic => diagnostic.severity === severity).length
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? '' : 's'}`]
  }
  const words = [...count('error', 'error'), ...count('warning', 'warning'), ...count('info', 'hint')]
  return words.length === 0 ? 'nothing to mend' : words.join(' and ')
}
