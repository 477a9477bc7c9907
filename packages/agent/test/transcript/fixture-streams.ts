import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chunk } from '@argot/core'
import { parseLog } from '@argot/core/stream'
import { asRun, ownStreams } from './streams.ts'

const fixtures = join(import.meta.dirname, '../../../../fixtures')

/** The streams made for these tests, and those of the fixtures. */
export const streams: [string, Chunk[]][] = [...ownStreams, ...fixtureStreams(), ['conversation', conversation()]]

function fixtureStreams(): [string, Chunk[]][] {
  const folder = join(fixtures, 'streams')
  return readdirSync(folder)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => {
      const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n')
      return [name, asRun(lines.map((line): Chunk => JSON.parse(line)))]
    })
}

function conversation(): Chunk[] {
  const { lines } = parseLog(readFileSync(join(fixtures, 'conversations/release-notes.jsonl'), 'utf8'))
  return asRun(lines.map(line => line.chunk))
}
