import { type Diagnostic, DiagnosticLog } from '../../source/diagnostic.ts'
import type { LogLine } from '../chunk.ts'
import { chunkProblem } from '../chunk-problem.ts'

export const logHeader = '{"argot":"run-log","version":1}'

/**
 * Reads a run log: a version line, then one `{ o, t, chunk }` per line. An invalid line, such as the last one of a file
 * cut off by a crash, is skipped with a diagnostic.
 */
export function parseLog(text: string): { lines: LogLine[]; diagnostics: readonly Diagnostic[] } {
  const log = new DiagnosticLog()
  const lines: LogLine[] = []
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '' || (index === 0 && line.trim() === logHeader)) return
    const problem = readLine(line, lines)
    if (problem !== undefined) {
      log.add({
        code: 'STREAM_BAD_CHUNK',
        severity: 'warning',
        message: `Line ${index + 1} of the log: ${problem}`,
        chunk: lines.length,
      })
    }
  })
  return { lines, diagnostics: log.list }
}

function readLine(line: string, lines: LogLine[]): string | undefined {
  let value: Partial<LogLine> | null
  try {
    value = JSON.parse(line)
  } catch {
    return 'It is not JSON.'
  }
  const problem = chunkProblem(value?.chunk)
  if (problem !== undefined) return problem
  const { o, t, chunk } = value as LogLine
  lines.push({
    o: Number.isSafeInteger(o) ? o : lines.length,
    t: Number.isFinite(t) ? t : (lines.at(-1)?.t ?? 0),
    chunk,
  })
  return undefined
}
