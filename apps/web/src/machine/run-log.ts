import type { Chunk } from '@argot/core'
import { type LogLine, SeamFilter } from '@argot/core/stream'
import { words } from '../locale/words.ts'

export async function readLog(base: string, run: string): Promise<LogLine[]> {
  const lines: LogLine[] = []
  let offset = '-1'
  for (;;) {
    const answer = await fetch(`${base}api/runs/${encodeURIComponent(run)}/log?offset=${offset}`)
    if (answer.status === 404) throw new Error(words().moments.runGone)
    if (!answer.ok) throw new Error(`The log could not be read (${answer.status}).`)
    lines.push(...((await answer.json()) as LogLine[]))
    const next = answer.headers.get('stream-next-offset')
    if (answer.headers.get('stream-up-to-date') === 'true' || next === null || next === offset) break
    offset = next
  }
  const seams = new SeamFilter()
  const last = lines.at(-1)
  return lines.filter(line => seams.keeps(line.chunk, line === last))
}

export function findMessageId(lines: readonly LogLine[]): string | undefined {
  for (const { chunk } of lines) if (chunk.type === 'start') return chunk.messageId
  return undefined
}

export function summarizeChunk(chunk: Chunk): string {
  const { type: _, ...rest } = chunk
  if ('delta' in rest && typeof rest.delta === 'string') return rest.delta
  if ('inputTextDelta' in rest && typeof rest.inputTextDelta === 'string') return rest.inputTextDelta
  if ('toolName' in rest && chunk.type === 'tool-input-start') return String(rest.toolName)
  if ('errorText' in rest && typeof rest.errorText === 'string') return rest.errorText
  if ('output' in rest) return typeof rest.output === 'string' ? rest.output : JSON.stringify(rest.output)
  const text = JSON.stringify(rest)
  return text === '{}' ? '' : text
}

/** A chunk's content as JSON, without its type. Long content is cut. */
export function formatChunk(chunk: Chunk): string {
  const { type: _, ...rest } = chunk
  const text = JSON.stringify(rest, null, 2)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… (${text.length} characters)` : text
}

const LONGEST = 4000
