import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '@argot/agent'
import { beforeAll, describe, expect, test } from 'vitest'
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
import { buildChild, type StartChild } from './child-process.ts'
import { documentName, documentText, finalAnswer } from './scenario.ts'

let startChild: StartChild

beforeAll(async () => {
  startChild = await buildChild()
})

/** A person who gives these answers, one after the other. */
function person(...answers: (ApprovalAnswer | undefined)[]): { ask: Ask; asked: Partial<ApprovalRequest>[] } {
  const asked: Partial<ApprovalRequest>[] = []
  const ask: Ask = async ({ signal: _, ...request }) => {
    asked.push(request)
    return answers[asked.length - 1]
  }
  return { ask, asked }
}

/** Runs the scenario in a process that dies at this place. */
async function dieIn(place: string, folder: string, env: Record<string, string> = {}): Promise<void> {
  const { signal, stderr } = await startChild({ env: { FOLDER: folder, SCENARIO: 'short', DIE: place, ...env } })
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
}

function keysOf(folder: string, call: string): string[] {
  return readRemains(folder).effects.flatMap(({ what, key, call: id }) =>
    what === 'start' && id === call ? [key] : [],
  )
}

describe('a call that was running when the process died', () => {
  const question = { approvalId: 'w1', toolCallId: 'w1', toolName: 'change', input: { a: 'one' }, interrupted: true }

  test.each(['inline', 'external'] as const)('runs again when a person says so, with its key (%s)', async payloads => {
    const folder = await scenarioFolder(payloads)
    await dieIn('tool w1', folder)
    const { ask, asked } = person({ approved: true, by: 'Ada' })
    const { result } = await resume(folder, 'short', { ask })
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
    const { result } = await resume(folder, 'short', { ask })
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
    const parked = await resume(folder, 'short', { ask })
    expect(parked.result).toMatchObject({ status: 'parked' })
    await resume(folder, 'short', { ask })
    expect(asked).toMatchObject([question, question])
    expect(new Set(keysOf(folder, 'w1')).size).toBe(1)
    expect(startsOf(readRemains(folder)).get('w1')).toBe(3)
    expect(invocationsOf(await readAnswer(folder)).get('w1')).toMatchObject({ state: 'output-available' })
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
    expect(waiting).toMatchObject([{ approvalId: 'w1' }, { approvalId: 'w1' }])
    const { ask, asked } = person({ approved: true })
    const { result } = await resume(folder, 'short', { ask, approve: 'ask' })
    expect(asked).toEqual([
      { approvalId: 'w1', toolCallId: 'w1', toolName: 'change', input: { a: 'one' }, effect: 'write' },
    ])
    expect(result).toMatchObject({ status: 'done', text: finalAnswer })
    await checkAftermath(folder, 'short', [first, second])
  })
})

describe('a process that died while the model was writing', () => {
  test('has not read in vain: what tools gave is remembered, however often it dies before the step is made again', async () => {
    const folder = await scenarioFolder()
    const deaths = []
    for (const place of ['finish 1', 'model 1', 'operation 12', 'model 1']) {
      await dieIn(place, folder, { SCENARIO: 'long' })
      deaths.push(readRemains(folder))
    }
    expect(Object.fromEntries(startsOf(deaths[0]!))).toEqual({ r1: 1, r2: 1 })
    const { result } = await resume(folder, 'long', { model: 'no-such:model' })
    expect(result).toMatchObject({ status: 'failed' })
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
