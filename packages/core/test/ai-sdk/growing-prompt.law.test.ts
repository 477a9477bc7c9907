import type { Accumulator, Chunk, Message, ToolDefinition } from '@argot/core'
import { buildPrompt } from '@argot/core/ai-sdk'
import { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import { native, type Syntax, xml } from '@argot/core/syntax'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { anyHostileStream, anyScript } from '../stream/arbitrary.ts'
import { fixture, fixtures } from '../stream/fixtures.ts'
import { folder } from '../stream/laws.ts'

const language = { provider: 'test', supportedUrls: {} }
const tools: ToolDefinition[] = [{ name: 'search', inputSchema: { type: 'object' } }]
const before: Message[] = [
  { id: 's', role: 'system', status: 'sent', parts: [{ type: 'text', id: 's:0', text: 'Be brief.', state: 'done' }] },
  { id: 'u', role: 'user', status: 'sent', parts: [{ type: 'text', id: 'u:0', text: 'Hello.', state: 'done' }] },
]

/** What comes of asking for a prompt: the prompt, or why there is none. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => String(error))
}

/** A prompt that is asked for after every so many chunks is the one that is built again. */
async function expectTheSame(chunks: readonly Chunk[], rhythm: readonly number[], syntax: Syntax): Promise<void> {
  const fold: Accumulator = folder()
  const growing = new GrowingPrompt(before, fold, { syntax, tools })
  let wait = rhythm[0]!
  for (const [index, chunk] of chunks.entries()) {
    fold.push(chunk)
    if (--wait > 0 && index < chunks.length - 1) continue
    wait = rhythm[index % rhythm.length]!
    const messages = fold.message === undefined ? before : [...before, fold.message]
    const whole = await outcome(buildPrompt(messages, { syntax, tools, language }))
    expect(await outcome(growing.build(language))).toEqual(whole)
  }
}

const anyRhythm = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 })
const anySyntax = fc.constantFrom(native, xml)

describe.each([native, xml])('$name', syntax => {
  test.each(fixtures)('%s: a prompt that grows is the prompt of what there is', async name => {
    await expectTheSame(fixture(name), [1], syntax)
    await expectTheSame(fixture(name), [7, 2], syntax)
  })
})

test('the prompt of a legal stream grows to what it is, whenever it is asked for', async () => {
  await fc.assert(
    fc.asyncProperty(anyScript({ silence: true }), anyRhythm, anySyntax, ({ chunks }, rhythm, syntax) =>
      expectTheSame(chunks, rhythm, syntax),
    ),
    { numRuns: shareOf(500) },
  )
})

test('the prompt of a stream with summaries does, wherever they come and whatever they say that they replace', async () => {
  const anySummaries = fc.array(fc.record({ at: fc.nat(60), replaces: fc.integer({ min: -1, max: 9 }) }), {
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(
      anyScript({ silence: true }),
      anySummaries,
      anyRhythm,
      anySyntax,
      (script, summaries, rhythm, syntax) => {
        const chunks = [...script.chunks]
        for (const [index, { at, replaces }] of summaries.entries()) {
          const data = { text: `Summary ${index}`, replaces }
          chunks.splice(1 + (at % chunks.length), 0, { type: 'data-argot-summary', data })
        }
        return expectTheSame(chunks, rhythm, syntax)
      },
    ),
    { numRuns: shareOf(500) },
  )
})

test('the prompt of a hostile stream does too', async () => {
  await fc.assert(
    fc.asyncProperty(anyHostileStream(), anyRhythm, anySyntax, (chunks, rhythm, syntax) =>
      expectTheSame(chunks, rhythm, syntax),
    ),
    { numRuns: shareOf(500) },
  )
})
