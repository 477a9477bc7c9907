import { readdirSync, readFileSync } from 'node:fs'
import type { Chunk } from '@argot/core'

const folder = new URL('../../../../fixtures/streams/', import.meta.url)

/** The names of the recorded streams, one `.jsonl` file each with one chunk a line. */
export const fixtures: readonly string[] = readdirSync(folder)
  .filter(file => file.endsWith('.jsonl'))
  .map(file => file.slice(0, -'.jsonl'.length))
  .sort()

export function fixture(name: string): Chunk[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trim()
    .split('\n')
  return lines.map(line => JSON.parse(line) as Chunk)
}
