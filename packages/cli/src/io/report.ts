import { countLines, type Diagnostic, formatDiagnostic } from 'argot'
import { type Io, write } from './io.ts'

/** Shows diagnostics: as pictures on stderr, or with `json` one a line on stdout. */
export async function report(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string | undefined, string>,
  json: boolean,
  io: Io,
): Promise<void> {
  if (json) {
    await write(io.stdout, diagnostics.map(diagnostic => `${JSON.stringify(diagnostic)}\n`).join(''))
    return
  }
  const lines = new Map([...sources].map(([file, source]) => [file, countLines(source)]))
  for (const diagnostic of diagnostics) {
    await write(io.stderr, `${formatDiagnostic(diagnostic, lines.get(diagnostic.file) ?? '')}\n\n`)
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
