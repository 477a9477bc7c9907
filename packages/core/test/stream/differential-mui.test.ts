import type { Chunk } from '@argot/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { type MuiMessage, readWithMui } from './clients.ts'
import { type Exception, muiExceptions } from './differential-exceptions.ts'
import { fixture, fixtures } from './fixtures.ts'
import { asJson, fold, same } from './laws.ts'

/** Our message and theirs, without what the exceptions forgive; none where the stream cannot be compared. */
async function compare(
  chunks: readonly Chunk[],
  exceptions: readonly Exception<MuiMessage>[],
): Promise<{ ours: unknown; theirs: unknown } | undefined> {
  if (exceptions.some(exception => exception.excludes?.(chunks))) return undefined
  const original = asJson(fold(chunks)[0]!) as unknown as MuiMessage
  const ours = asJson(original)
  const theirs = await readWithMui(chunks)
  for (const { forgive } of exceptions) {
    forgive?.(ours, original)
    if (theirs !== undefined) forgive?.(theirs, original)
  }
  return { ours: essence(ours), theirs: theirs && essence(theirs) }
}

/** What both have under the same names. */
function essence({ id, status, metadata, parts }: MuiMessage): unknown {
  return { id, status, metadata, parts }
}

async function expectSame(chunks: readonly Chunk[]): Promise<void> {
  const pair = await compare(chunks, muiExceptions)
  if (pair !== undefined) same(pair.ours, pair.theirs)
}

test.each(fixtures)('%s: MUI X Chat makes the same calls with the same states, inputs and outputs', async name => {
  await expectSame(fixture(name))
})

test('MUI X Chat makes the same calls of any legal stream', async () => {
  await fc.assert(
    fc.asyncProperty(anyScript({}, 64), async ({ chunks }) => {
      await expectSame(throughCommentary(chunks))
    }),
    { numRuns: shareOf(2000) },
  )
})

test.each(muiExceptions)('the exception "$name" is needed', async exception => {
  const witness = throughCommentary(exception.witness)
  const others = muiExceptions.filter(other => other !== exception)
  await expectSame(witness)
  const pair = await compare(witness, others).catch((error: unknown) => ({ ours: undefined, theirs: error }))
  expect(pair?.ours).not.toEqual(pair?.theirs)
})
