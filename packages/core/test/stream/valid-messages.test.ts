import { accumulate, type Chunk, fromUIMessage, toUIMessage } from '@argot/core'
import type { UIMessage as AiMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { answer, ask, available, inputStart, start, startStep } from './chunks.ts'
import { everyMoment, expectValid, forAiSdk } from './clients.ts'
import { fixture, fixtures } from './fixtures.ts'
import { asJson } from './laws.ts'

function callOf(message: AiMessage | undefined): Record<string, unknown> {
  return message?.parts.find(part => part.type === 'tool-search') as unknown as Record<string, unknown>
}

test.each(fixtures)('%s: the message of an AI SDK client is valid at every moment', async name => {
  await everyMoment(fixture(name))
})

test.each(fixtures)('%s: what toUIMessage gives is valid at every moment', async name => {
  const fold = accumulate()
  for (const chunk of fixture(name)) {
    fold.push(chunk)
    if (fold.message !== undefined) await expectValid(asJson(toUIMessage(fold.message)))
  }
})

test('the message of an AI SDK client is valid at every moment of any legal stream', async () => {
  await fc.assert(
    fc.asyncProperty(anyScript({}, 16), async ({ chunks }) => {
      await everyMoment(throughCommentary(chunks))
    }),
    { numRuns: 150 },
  )
})

const parked: Chunk[] = [start(), startStep, inputStart(), available(), ask('a1')]
const park: Chunk[] = [{ type: 'finish-step' }, { type: 'finish', messageId: 'm1', finishReason: 'tool-calls' }]
const done: Chunk = { type: 'finish', messageId: 'm1', finishReason: 'stop' }
const output: Chunk = { type: 'tool-output-available', toolCallId: 'c1', output: 'found' }

/** The message as `addToolApprovalResponse` of the AI SDK leaves it. */
function answered(message: AiMessage | undefined, approved: boolean, reason?: string): AiMessage {
  const parts = message!.parts.map(part =>
    'approval' in part && part.approval !== undefined
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved, reason } }
      : part,
  )
  return { ...message!, parts } as AiMessage
}

/** What a server says first when it continues a message: the calls that are open, and what was said of them. */
function again(...chunks: Chunk[]): Chunk[] {
  return [start(), ...chunks.map(chunk => ({ ...chunk, known: true }) as Chunk)]
}

describe('a question that is answered while the stream is open', () => {
  test('is put to the client as data, and its call ends as if nobody had been asked', async () => {
    const chunks = [...parked, answer(true), output, done]
    expect(forAiSdk(chunks).filter(({ type }) => type.startsWith('data-'))).toEqual([
      {
        type: 'data-argot-question',
        data: { approvalId: 'a1', toolCallId: 'c1', toolName: 'search', input: { q: 'cats' } },
        transient: true,
      },
      { type: 'data-argot-approval', data: { approvalId: 'a1', toolCallId: 'c1', approved: true }, transient: true },
    ])
    const last = (await everyMoment(chunks)).at(-1)
    expect(callOf(last)).toMatchObject({ state: 'output-available', output: 'found' })
    expect(callOf(last)).not.toHaveProperty('approval')
  })

  test('keeps its reason when it is denied, and the denial comes back as one', async () => {
    const no = { ...answer(false), reason: 'too many cats' } as Chunk
    const last = (await everyMoment([...parked, no, { type: 'tool-output-denied', toolCallId: 'c1' }, done])).at(-1)
    expect(callOf(last)).toMatchObject({
      state: 'output-error',
      errorText: 'The call was denied. Reason: too many cats',
    })
    const part = fromUIMessage(last as never).parts.find(one => one.type === 'tool')
    expect(part?.toolInvocation).toMatchObject({
      state: 'output-denied',
      approval: { id: 'a1', approved: false, reason: 'too many cats' },
    })
    expect(part?.toolInvocation).not.toHaveProperty('errorText')
  })

  test('may be answered with another input', async () => {
    const last = (await everyMoment([...parked, answer(true), available({ q: 'dogs' }), output, done])).at(-1)
    expect(callOf(last)).toMatchObject({ state: 'output-available', input: { q: 'dogs' } })
  })
})

describe('a question that waits at the end of the stream', () => {
  test('is then put to the client, with its signature', async () => {
    const signed = { ...ask('a1'), signature: 's' } as Chunk
    const last = (await everyMoment([...parked.slice(0, -1), signed, ...park])).at(-1)
    expect(callOf(last)).toMatchObject({ state: 'approval-requested', approval: { id: 'a1', signature: 's' } })
  })

  test.each([
    ['approved', true, output, 'output-available'],
    ['denied', false, { type: 'tool-output-denied', toolCallId: 'c1' } as Chunk, 'output-denied'],
  ] as const)('%s by the client, stays so when the message is continued', async (_, approved, result, state) => {
    const asked = (await everyMoment([...parked, ...park])).at(-1)
    const mine = answered(asked, approved, 'my reason')
    await expectValid(asJson(mine))
    const known = again(inputStart(), available(), ask('a1'), answer(approved))
    const sent = [...known, result, startStep, done]
    expect(forAiSdk(sent).map(({ type }) => type)).toEqual(['start', result.type, 'start-step', 'finish'])
    const last = (await everyMoment(sent, mine)).at(-1)
    expect(callOf(last)).toMatchObject({ state, approval: { id: 'a1', approved, reason: 'my reason' } })
    expect(last?.parts.filter(part => part.type === 'tool-search')).toHaveLength(1)
  })

  test('is not put a second time when the message is continued without its answer', async () => {
    const asked = (await everyMoment([...parked, ...park])).at(-1)
    const sent = [...again(inputStart(), available(), ask('a1')), { ...park[1]! }]
    expect(forAiSdk(sent).map(({ type }) => type)).toEqual(['start', 'finish'])
    expect(callOf((await everyMoment(sent, asked)).at(-1))).toMatchObject({ state: 'approval-requested' })
  })

  test('is put again where the answer does not count', async () => {
    const asked = (await everyMoment([...parked, ...park])).at(-1)
    const sent = [...again(inputStart(), available()), ask('a2'), { ...park[1]! }]
    const last = (await everyMoment(sent, answered(asked, true))).at(-1)
    expect(callOf(last)).toMatchObject({ state: 'approval-requested', approval: { id: 'a2' } })
    expect((callOf(last).approval as { approved?: boolean }).approved).toBeUndefined()
  })
})

test('what is said again is ignored by a fold that has it, and makes the call in one that has not', () => {
  const known = again(inputStart(), available(), ask('a1'), answer(true))
  const first = accumulate({ now: () => 0 })
  for (const chunk of [...parked, answer(true), ...park]) first.push(chunk)
  const fresh = accumulate({ now: () => 0 })
  for (const chunk of [...known, output]) {
    first.push(chunk)
    fresh.push(chunk)
  }
  const call = { state: 'output-available', approval: { id: 'a1', approved: true } }
  expect(first.message?.parts.filter(part => part.type === 'tool')).toMatchObject([{ toolInvocation: call }])
  expect(fresh.message?.parts).toMatchObject([{ toolInvocation: call }])
  expect(first.diagnostics).toEqual([])
})

test('a question that nobody answered before the run was stopped is kept where the AI SDK has no place for it', async () => {
  const fold = accumulate()
  for (const chunk of [...parked, { type: 'abort', messageId: 'm1' } as Chunk]) fold.push(chunk)
  const ui = asJson(toUIMessage(fold.message!))
  await expectValid(ui)
  expect(fromUIMessage(ui).parts[1]).toMatchObject({
    toolInvocation: { state: 'output-error', settledBy: 'abort', approval: { id: 'a1' } },
  })
})

test.each([
  ['no object', 'yes', 'input-available', undefined],
  ['no id', { approved: true }, 'input-available', undefined],
  ['an answer that is not an answer', { id: 'a1', approved: 'yes' }, 'approval-requested', { id: 'a1' }],
])('an approval with %s approves nothing', (_, approval, state, read) => {
  const part = { type: 'tool-search', toolCallId: 'c1', state: 'approval-responded', input: {}, approval }
  const message = fromUIMessage({ id: 'm1', role: 'assistant', parts: [part] })
  expect(message.parts).toMatchObject([{ toolInvocation: { state, ...(read && { approval: read }) } }])
})

test('a call that could not be read needs neither name nor input', async () => {
  const chunks: Chunk[] = [
    start(),
    inputStart(),
    { type: 'tool-input-error', toolCallId: 'c1', errorText: 'no JSON' },
    { type: 'tool-input-error', toolCallId: 'c2', errorText: 'no JSON either' },
    done,
  ]
  const last = (await everyMoment(chunks)).at(-1)
  expect(last?.parts).toMatchObject([
    { type: 'tool-search', state: 'output-error', errorText: 'no JSON' },
    { type: 'tool-unknown', state: 'output-error', errorText: 'no JSON either' },
  ])
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  expect(fold.message?.parts).toMatchObject([
    { toolInvocation: { toolName: 'search', state: 'output-error', errorText: 'no JSON' } },
    { toolInvocation: { toolName: 'unknown', state: 'output-error', errorText: 'no JSON either' } },
  ])
  expect(fold.diagnostics).toEqual([])
})

test.each([
  ['no parts', {}],
  ['parts that are none', { id: 'm1', role: 'assistant', parts: [null, 'x', 3, {}, { type: 7 }] }],
  ['a role that is none', { id: 3, role: 'root', parts: 'x' }],
])('a message with %s is read without them', (_, ui) => {
  expect(fromUIMessage(ui as never).parts).toEqual([])
})
