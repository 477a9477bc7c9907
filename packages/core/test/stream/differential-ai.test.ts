import { type Chunk, toUIMessage, type UIMessage } from '@argot/core'
import { uiMessageChunkSchema } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { forAiSdk, readWithAiSdk } from './clients.ts'
import { aiExceptions, type Exception } from './differential-exceptions.ts'
import { fixture, fixtures } from './fixtures.ts'
import { asJson, fold, same } from './laws.ts'

/** Our message and theirs, without what the exceptions forgive; none where the stream cannot be compared. */
async function compare(
  chunks: readonly Chunk[],
  exceptions: readonly Exception<UIMessage>[],
): Promise<{ ours: unknown; theirs: unknown } | undefined> {
  if (exceptions.some(exception => exception.excludes?.(chunks))) return undefined
  const theirs = (await readWithAiSdk(chunks)) as UIMessage | undefined
  const original = asJson(toUIMessage(fold(chunks)[0]!))
  const ours = asJson(original)
  for (const { forgive } of exceptions) {
    forgive?.(ours, original)
    if (theirs !== undefined) forgive?.(theirs, original)
  }
  return { ours, theirs }
}

async function expectSame(chunks: readonly Chunk[]): Promise<void> {
  const pair = await compare(chunks, aiExceptions)
  if (pair !== undefined) same(pair.ours, pair.theirs)
}

async function expectValid(chunks: readonly Chunk[]): Promise<void> {
  const schema = uiMessageChunkSchema()
  for (const chunk of forAiSdk(chunks)) {
    const result = await schema.validate!(asJson(chunk))
    if (!result.success) expect.fail(`${JSON.stringify(chunk)} is not a chunk of the AI SDK.`)
  }
}

test.each(fixtures)('%s: the AI SDK accepts every chunk and makes the same message', async name => {
  const chunks = fixture(name)
  await expectValid(chunks)
  await expectSame(chunks)
})

test('a denied call whose run is stopped before its denial is said is a stopped one for the AI SDK too', async () => {
  const call = { toolCallId: 'c', toolName: 'search', input: {} }
  const stopped = { toolCallId: 'c', errorText: 'Stopped.', providerMetadata: { argot: { settledBy: 'abort' } } }
  await expectSame([
    { type: 'start', messageId: 'm' },
    { type: 'tool-input-available', ...call },
    { type: 'tool-approval-request', approvalId: 'c', ...call },
    { type: 'tool-approval-response', approvalId: 'c', toolCallId: 'c', approved: false },
    { type: 'tool-output-error', ...stopped },
    { type: 'abort', messageId: 'm' },
  ])
})

test('the AI SDK accepts every chunk of any legal stream and makes the same message', async () => {
  await fc.assert(
    fc.asyncProperty(anyScript({ resets: false }, 64), async ({ chunks }) => {
      await expectSame(throughCommentary(chunks))
    }),
    { numRuns: shareOf(2000) },
  )
})

test('the AI SDK accepts every chunk of any legal stream, also of one with steps that are made again', async () => {
  await fc.assert(
    fc.asyncProperty(anyScript({}, 64), async ({ chunks }) => {
      await expectValid(throughCommentary(chunks))
      await readWithAiSdk(throughCommentary(chunks))
    }),
    { numRuns: shareOf(500) },
  )
})

test.each(aiExceptions)('the exception "$name" is needed', async exception => {
  const witness = throughCommentary(exception.witness)
  const others = aiExceptions.filter(other => other !== exception)
  await expectSame(witness)
  const pair = await compare(witness, others).catch((error: unknown) => ({ ours: undefined, theirs: error }))
  expect(pair?.ours).not.toEqual(pair?.theirs)
})
