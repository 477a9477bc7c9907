import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '@argot/agent'
import { defined } from '@argot/core/stream/internal'
import { describe, expect, test } from 'vitest'
import { readMessages } from '../run/document-folder.ts'
import {
  checkAftermath,
  invocationsOf,
  readAnswer,
  readRemains,
  resume,
  resumeAndCheck,
  scenarioFolder,
  startsOf,
} from './aftermath.ts'
import { buildChild } from './child-process.ts'
import { documentName, documentText, finalAnswer } from './scenario.ts'

const startChild = buildChild()

/** A person who gives these answers, one after the other. */
function person(...answers: (ApprovalAnswer | undefined)[]): { ask: Ask; asked: Partial<ApprovalRequest>[] } {
  const asked: Partial<ApprovalRequest>[] = []
  const ask: Ask = async ({ approvalId, toolCallId, toolName, input, effect, interrupted, foreign }) => {
    asked.push(defined({ approvalId, toolCallId, toolName, input, effect, interrupted, foreign }))
    return answers[asked.length - 1]
  }
  return { ask, asked }
}

/** Runs the scenario in a process that dies at this place. */
async function dieIn(place: string, folder: string, env: Record<string, string> = {}): Promise<void> {
  const { signal, stderr } = await startChild({ env: { FOLDER: folder, SCENARIO: 'short', DIE: place, ...env } })
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
}

/** An id that no other question has. */
function unique(name: string): unknown {
  return expect.stringMatching(new RegExp(`^${name}(?:-2)?-[\\w-]{12}$`))
}

function keysOf(folder: string, call: string): string[] {
  return readRemains(folder).effects.flatMap(({ what, key, call: id }) =>
    what === 'start' && id === call ? [key] : [],
  )
}

describe('a call that was running when the process died', () => {
  const question = {
    approvalId: unique('c2'),
    toolCallId: 'c2',
    toolName: 'change',
    input: { a: 'one' },
    interrupted: true,
  }

  /** The next asking has an id of its own: an answer to the first one is not for it. */
  const again = { ...question, approvalId: unique('c2') }

  test.each(['inline', 'external'] as const)('runs again when a person says so, with its key (%s)', async payloads => {
    const folder = await scenarioFolder(payloads)
    await dieIn('tool w1', folder)
    const { ask, asked } = person({ approved: true, by: 'Ada' })
    const { result } = await resume(folder, 'short', { ask, interrupted: 'ask' })
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    expect(asked).toEqual([{ ...question, effect: 'write' }])
    const keys = keysOf(folder, 'w1')
    expect(keys).toEqual([keys[0], keys[0]])
    const call = invocationsOf(await readAnswer(folder)).get('w1')
    expect(call).toMatchObject({ state: 'output-available', approval: { approved: true, by: 'Ada' } })
  })

  test('is denied when a person says so', async () => {
    const folder = await scenarioFolder()
    await dieIn('tool w1', folder)
    const { ask } = person({ approved: false, reason: 'Not twice.' })
    const { result } = await resume(folder, 'short', { ask, interrupted: 'ask' })
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    expect(startsOf(readRemains(folder)).get('w1')).toBe(1)
    const call = invocationsOf(await readAnswer(folder)).get('w1')
    expect(call).toMatchObject({ state: 'output-denied', approval: { approved: false, reason: 'Not twice.' } })
  })

  test('still has an unknown effect when the process dies again while a person is asked, or while it runs again', async () => {
    const folder = await scenarioFolder()
    await dieIn('tool w1', folder)
    await dieIn('asked', folder, { ASK: '1' })
    await dieIn('tool w1', folder, { ASK: '1' })
    const { ask, asked } = person(undefined, { approved: true })
    const parked = await resume(folder, 'short', { ask, interrupted: 'ask' })
    expect(parked.result).toMatchObject({ status: 'parked' })
    await resume(folder, 'short', { ask, interrupted: 'ask' })
    expect(asked).toMatchObject([again, again])
    expect(new Set(keysOf(folder, 'w1')).size).toBe(1)
    expect(startsOf(readRemains(folder)).get('w1')).toBe(3)
    expect(invocationsOf(await readAnswer(folder)).get('w1')).toMatchObject({ state: 'output-available' })
  })

  test('is asked about with the input that it ran with', async () => {
    const folder = await scenarioFolder()
    await dieIn('tool w1', folder, { ASK: 'edit' })
    const { ask, asked } = person({ approved: true })
    await resume(folder, 'short', { ask, interrupted: 'ask' })
    expect(asked).toMatchObject([{ ...again, input: { a: 'edited' } }])
    const call = invocationsOf(await readAnswer(folder)).get('w1')
    expect(call).toMatchObject({
      state: 'output-available',
      input: { a: 'edited' },
      output: 'change gave {"a":"edited"}',
    })
  })

  test('is not run without a question by a run behind one that put the question off', async () => {
    const folder = await scenarioFolder()
    await dieIn('tool w1', folder, { ASK: 'edit' })
    const later = person(undefined)
    expect((await resume(folder, 'short', { ask: later.ask, interrupted: 'ask' })).result).toMatchObject({
      status: 'parked',
    })
    const { ask, asked } = person(undefined, { approved: true })
    expect((await resume(folder, 'short', { ask, interrupted: 'ask' })).result).toMatchObject({ status: 'parked' })
    await resume(folder, 'short', { ask, interrupted: 'ask' })
    expect(asked).toMatchObject([{ interrupted: true }, { interrupted: true, input: { a: 'edited' } }])
    expect(startsOf(readRemains(folder)).get('w1')).toBe(2)
    expect((await resume(folder, 'short')).result).toMatchObject({ code: 'RUN_NOTHING_TO_ANSWER' })
  })

  test('has an unknown effect also when the user goes on with something else', async () => {
    const folder = await scenarioFolder()
    await dieIn('tool w1', folder)
    const { result } = await resume(folder, 'short', { input: 'Never mind.' })
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    const [, , before] = await readMessages(join(folder, documentName))
    const call = invocationsOf(before!).get('w1')
    expect(call).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('effect is unknown') })
  })

  test('is settled, not run, where nobody can be asked, whatever the policy says', async () => {
    const folder = await scenarioFolder()
    await dieIn('tool w1', folder)
    await resumeAndCheck(folder, 'short', [readRemains(folder)])
    expect(startsOf(readRemains(folder)).get('w1')).toBe(1)
  })
})

describe('a process that died while a person was asked', () => {
  test('asks again, under the same id, and nothing has run', async () => {
    const folder = await scenarioFolder()
    await dieIn('asked', folder, { ASK: '1' })
    const first = readRemains(folder)
    await dieIn('asked', folder, { ASK: '1' })
    const second = readRemains(folder)
    expect(startsOf(second).get('w1')).toBe(undefined)
    const waiting = second.logs.flat().filter(({ type }) => type === 'tool-approval-request')
    expect(waiting).toMatchObject([{ approvalId: unique('c2') }, { approvalId: unique('c2') }])
    const { ask, asked } = person({ approved: true })
    const { result } = await resume(folder, 'short', { ask, approve: 'ask' })
    expect(asked).toEqual([
      { approvalId: unique('c2'), toolCallId: 'c2', toolName: 'change', input: { a: 'one' }, effect: 'write' },
    ])
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    await checkAftermath(folder, 'short', [first, second])
  })
})

describe('a process that died while the model was writing', () => {
  test('has not read in vain: what tools gave is remembered, however often it dies before the step is made again', async () => {
    const folder = await scenarioFolder()
    const deaths = []
    for (const place of ['finish 1', 'model 1', 'model 1']) {
      await dieIn(place, folder, { SCENARIO: 'long' })
      deaths.push(readRemains(folder))
      // A run that cannot start opens the document all the same.
      const { result } = await resume(folder, 'long', { model: 'no-such:model' })
      expect(result).toMatchObject({ status: 'failed' })
    }
    expect(Object.fromEntries(startsOf(deaths[0]!))).toEqual({ r1: 1, r2: 1 })
    await resumeAndCheck(folder, 'long', deaths)
    expect(Object.fromEntries(startsOf(readRemains(folder)))).toMatchObject({ r1: 1, r2: 1 })
  })
})

describe('a process that died before anything was said', () => {
  test('leaves the document as it was', async () => {
    const folder = await scenarioFolder()
    await dieIn('model 1', folder)
    await dieIn('model 1', folder)
    expect(readFileSync(join(folder, documentName), 'utf8')).toBe(documentText('external'))
    await resumeAndCheck(folder, 'short', [readRemains(folder)])
  })

  test('leaves the message that it was given, and the next run answers it', async () => {
    const folder = await scenarioFolder()
    await dieIn('model 1', folder, { INPUT: 'And quickly.' })
    expect(readFileSync(join(folder, documentName), 'utf8')).toMatch(/And quickly\.\s*<\/user>\s*$/)
    const { result } = await resume(folder, 'short')
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    expect(readFileSync(join(folder, documentName), 'utf8').match(/And quickly/g)?.length).toBe(1)
  })
})

test('a message of the user that was added behind a run that died is answered in a message of its own', async () => {
  const folder = await scenarioFolder()
  await dieIn('model 2', folder)
  appendFileSync(join(folder, documentName), '\n<user>\nAnd now?\n</user>\n')
  const { result } = await resume(folder, 'short')
  expect(result).toMatchObject({ status: 'done', text: finalAnswer })
  const messages = await readMessages(join(folder, documentName))
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
  expect(new Set(messages.map(({ id }) => id)).size).toBe(5)
})
