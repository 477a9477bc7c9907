import type { Run, RunOptions, RunResult } from '@argot/agent'
import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { ServedCall } from '../../src/mcp/served-call.ts'
import { ServedCalls } from '../../src/mcp/served-calls.ts'

/** A run that asks one question, and ends when it is answered or stopped. */
function askingRun({ runClientTool }: RunOptions): Run {
  const stop = new AbortController()
  const call = { toolCallId: 'c', toolName: 'ask_user', input: { question: 'Why?' }, signal: stop.signal }
  const answered = runClientTool!(call)
  const result = answered.then((given): RunResult => {
    const message = { id: 'm', role: 'assistant', status: 'sent', parts: [] } as const
    if (stop.signal.aborted) return { status: 'stopped', text: String(stop.signal.reason) }
    return { status: 'done', text: JSON.stringify(given), message: { ...message, parts: [] } }
  })
  return {
    result,
    stop: (reason?: string) => stop.abort(reason),
    async *[Symbol.asyncIterator](): AsyncGenerator<Chunk> {
      await result
      yield* []
    },
  } as unknown as Run
}

function start(desk: ServedCalls): ServedCall {
  const call = new ServedCall(askingRun, { key: 'k', document: 'd', canAsk: true, approvesCalls: false })
  desk.add(call)
  return call
}

test('a call whose client never comes back is stopped, and makes room', async () => {
  const desk = new ServedCalls({ maxCalls: 1, patienceMs: 1 })
  const call = start(desk)
  expect(Object.values((await call.next())!)).toMatchObject([{ message: 'Why?' }])
  expect(desk.isFull).toBe(true)
  desk.startTimeout(call)
  expect(await call.ended).toMatchObject({
    result: { status: 'stopped', text: 'The client did not answer the questions of the run.' },
  })
  await expect.poll(() => desk.isFull).toBe(false)
  expect(desk.find(call.id, 'k')).toBeUndefined()
})

test('a call that is attended, or was made with another input, is not taken up', async () => {
  const desk = new ServedCalls({ maxCalls: 2 })
  const call = start(desk)
  const forms = (await call.next())!
  expect(desk.find(call.id, 'other')).toBeUndefined()
  call.isAttended = true
  expect(desk.find(call.id, 'k')).toBeUndefined()
  call.isAttended = false
  expect(desk.find(call.id, 'k')).toBe(call)
  call.answer({ never: { action: 'accept', content: { answer: 'x' } } })
  expect(await call.next()).toEqual(forms)
  call.answer({ [Object.keys(forms)[0]!]: { action: 'accept', content: { answer: 'Because.' } } })
  expect(await call.next()).toBeUndefined()
  expect((await call.ended).result.text).toBe('{"output":"Because."}')
})

test('closing stops every call and takes no more', async () => {
  const desk = new ServedCalls({ maxCalls: 5 })
  const calls = [start(desk), start(desk)]
  await Promise.all(calls.map(call => call.next()))
  await desk.close()
  for (const call of calls) expect((await call.ended).result.status).toBe('stopped')
  expect(desk.isFull).toBe(true)
})
