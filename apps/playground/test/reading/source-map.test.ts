import { parse, syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { finish, readReply } from '../../src/reading/read-reply.ts'
import type { Reading } from '../../src/reading/reading.ts'
import { viewAt } from '../../src/reading/view-at.ts'
import { tools } from '../tools.ts'

const CASES = 5
const input = { query: 'x <y> "z"\nq', limit: 1 }
const shards = [
  'Some text. ',
  '\n',
  '\n\n',
  '```\n',
  '`',
  '> ',
  '- ',
  '<think>',
  '</think>\n',
  '<|im_end|>',
  '    ',
  '<',
  '{',
  '[',
]
const rare = ['^^^', '\\', '<pre>', '</pre>', '<!-- ', '-->', 'search(query="1")', 'a', ' ']

/** Numbers that are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return below => (state = (state * 16807) % 2147483647) % below
}

function* replies(name: string, pick: (below: number) => number): Generator<string> {
  const call = syntaxes.get(name).format({ toolCallId: 'functions.search:0', toolName: 'search', input }, tools[2])
  const pieces = [call, call, call.slice(0, call.length / 2), ...shards, ...rare]
  for (let i = 0; i < CASES; i++) yield Array.from({ length: 1 + pick(9) }, () => pieces[pick(pieces.length)]).join('')
}

/** The text outside of reasoning, by the segments of a reading. */
function textIn({ segments, examples }: Reading, source: string): string {
  const isText = ({ kind, index = -1 }: Reading['segments'][number]): boolean =>
    kind === 'text' || (kind === 'example' && examples[index]?.place !== 'reasoning')
  return segments
    .filter(isText)
    .map(({ start, end }) => source.slice(start, end))
    .join('')
}

test('whatever a reply is made of, in every syntax, its segments cover it, and its text is what any program reads', () => {
  const pick = random(99)
  for (const name of syntaxes.names().filter(each => syntaxes.get(each).kind !== 'native')) {
    for (const text of replies(name, pick)) {
      const reading = finish(readReply({ text, syntax: name, tools }))
      const about = `${name}: ${JSON.stringify(text)}`
      let at = 0
      for (const { start, end } of reading.segments) {
        expect([start, end > start], about).toEqual([at, true])
        at = end
      }
      expect(at, about).toBe(text.length)
      const chunks = parse(name, text, { tools, reasoning: 'parts' })
      const written = chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
      expect(textIn(reading, text), about).toBe(written)
      const cut = pick(text.length + 1)
      const covered = viewAt(reading, cut).segments.map(({ start, end }) => text.slice(start, end))
      expect(covered.join(''), about).toBe(text.slice(0, cut))
    }
  }
})
