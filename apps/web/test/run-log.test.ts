import { accumulate, type Chunk, toolCalls } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { listen } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish } from '../../../packages/agent/test/scripted-model.ts'
import { serveFolder } from '../../../packages/server/test/served-folder.ts'
import { readLog } from '../src/machine/run-log.ts'

const document = '<tool name="ask_user"/>\n<user>\nPaint it.\n</user>\n'

function fold(chunks: readonly Chunk[]): ReturnType<typeof accumulate> {
  const accumulator = accumulate({ now: () => 0 })
  for (const chunk of chunks) accumulator.push(chunk)
  return accumulator
}

const ends = (lines: readonly LogLine[]): string[] =>
  lines.flatMap(({ chunk }) => (chunk.type === 'start' || chunk.type === 'finish' ? [chunk.type] : []))

test('the log of a run that was parked twice reads as one message, at each park and at its end', async () => {
  const asks = ['Which colour?', 'Which size?'].map((question, index) => [
    ...call(`c${index}`, 'ask_user', { question }),
    finish('tool-calls'),
  ])
  const { server, post, get, until } = await serveFolder([...asks, 'Done.'], { files: { 'paint.chatmd': document } })
  const { port, close } = await listen(server, { port: 0 })
  const base = `http://127.0.0.1:${port}/`
  onTestFinished(close)
  const { id } = await post('/api/runs', { document: 'paint.chatmd' })
  for (const [index, output] of ['blue', 'large'].entries()) {
    const toolCallId = `c${index + 1}`
    await expect.poll(() => get(`/api/runs/${id}`)).toMatchObject({ state: 'waiting', outputs: [{ toolCallId }] })
    const parked = await readLog(base, id)
    expect(ends(parked)).toEqual(['start', 'finish'])
    expect(parked.at(-1)?.chunk).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
    expect(toolCalls(fold(parked.map(({ chunk }) => chunk)).message!).at(-1)?.state).toBe('input-available')
    await post(`/api/runs/${id}/outputs`, { toolCallId, output })
  }
  await until(id, 'done')
  const lines = await readLog(base, id)
  expect(ends(lines)).toEqual(['start', 'finish'])
  const raw = await get<LogLine[]>(`/api/runs/${id}/log?offset=-1`)
  expect(ends(raw)).toEqual(['start', 'finish', 'start', 'finish', 'start', 'finish'])
  const [whole, withSeams] = [lines, raw].map(list => fold(list.map(({ chunk }) => chunk)))
  expect(whole!.diagnostics).toEqual([])
  expect(whole!.messages).toHaveLength(1)
  expect(toolCalls(whole!.message!).map(({ output }) => output)).toEqual(['blue', 'large'])
  expect(whole!.messages).toEqual(withSeams!.messages)
})
