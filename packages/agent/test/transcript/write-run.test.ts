import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Accumulator, accumulate, type Chunk } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'
import { parseLog } from '@argot/core/stream'
import { logHeader } from '@argot/core/stream/internal'
import { describe, expect, test } from 'vitest'
import { streams } from './fixture-streams.ts'
import {
  clock,
  logPathOf,
  makeDocument,
  openOn,
  type Payloads,
  plain,
  prompt,
  pushAll,
  readBack,
  record,
} from './runs.ts'
import {
  call,
  finish,
  finishStep,
  modelDone,
  output,
  parked,
  resumed,
  start,
  startOf,
  startStep,
  text,
} from './streams.ts'

const modes: Payloads[] = ['inline', 'external']

describe.each(modes)('with payloads %s', payloads => {
  test.each(streams)('%s is read back as the message that the run had in memory', async (_, chunks) => {
    const file = await makeDocument()
    const message = await record(file, chunks, { payloads })
    expect(await readBack(file)).toEqual([plain(message)])
    expect(readFileSync(file, 'utf8').startsWith(prompt)).toBe(true)
  })

  test('a message that was parked is gone on with: its calls are not written again, only their responses', async () => {
    const file = await makeDocument()
    const first = await record(file, parked, { payloads })
    const [before] = await readBack(file)
    expect(before).toEqual(plain(first))
    const wholeBefore = readFileSync(file, 'utf8')
    await record(file, resumed, { payloads, id: 'run-2', before: before! })
    expect(readFileSync(file, 'utf8').startsWith(wholeBefore)).toBe(true)
    const messages = await readBack(file)
    expect(messages).toHaveLength(1)
    const { parts, createdAt, finishReason, status } = messages[0]!
    expect({ createdAt, finishReason, status }).toEqual({
      createdAt: before!.createdAt,
      finishReason: 'stop',
      status: 'sent',
    })
    const calls = parts.flatMap(part => ('toolInvocation' in part ? [part.toolInvocation] : []))
    expect(calls.map(one => [one.toolCallId, one.state, one.input, one.output])).toEqual([
      ['a', 'output-available', { command: 'ls' }, 'listed'],
      ['b', 'output-available', { path: 'b' }, 'text'],
      ['c', 'output-denied', { command: 'rm c' }, undefined],
      ['d', 'output-available', { path: 'd' }, 'dd'],
    ])
    expect(calls[0]).toMatchObject({ rawInput: { command: 'rm a' }, approval: { id: 'qa', approved: true } })
    expect(calls[2]).toMatchObject({ approval: { id: 'qc', approved: false, reason: 'No.' } })
    expect(parts.at(-1)).toMatchObject({ type: 'text', text: 'Well.' })
    expect(parts.filter(part => part.type === 'step-start')).toHaveLength(3)
  })
})

/** The document after each chunk, without what was there before. */
async function watch(chunks: readonly Chunk[]): Promise<string[]> {
  const file = await makeDocument()
  const transcript = await openOn(file)
  await transcript.begin({ id: 'run-1', payloads: 'inline' })
  const fold = accumulate({ now: () => clock.time })
  const seen: string[] = []
  for (const chunk of chunks) {
    fold.push(chunk)
    transcript.push(chunk, fold)
    await transcript.syncStep()
    seen.push(readFileSync(file, 'utf8').slice(prompt.length))
  }
  await transcript.close()
  return seen
}

/** The elements that a text of the document has, in short. */
function elementsIn(source: string): string[] {
  return parseChatMd(source).document.entries.map(({ node }) => {
    const name = (key: string): string => node.attributes.find(one => one.name === key)?.value.toString() ?? ''
    return [node.name, name('part') || name('id') || name('tool_call_id'), name('state')].filter(Boolean).join(' ')
  })
}

test('nothing of a step is written before the model is done with it', async () => {
  const chunks = [
    start,
    startStep,
    ...text('t', 'a'),
    ...call('a', 'read', {}),
    output('a', 1),
    modelDone,
    finishStep,
    finish(),
  ]
  const seen = await watch(chunks)
  expect(seen.slice(0, -3).join('')).toBe('')
  expect(elementsIn(seen.at(-3)!)).toEqual(['assistant', 'tool_call a', 'tool_response a'])
  expect(seen.at(-1)).toBe(seen.at(-2))
})

test('a call waits for its next chunk, and calls behind it wait with it', async () => {
  const ask: Chunk = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'b', toolName: 'rm', input: {} }
  const chunks = [
    start,
    startStep,
    ...call('a', 'rm', {}),
    ...call('b', 'rm', {}),
    modelDone,
    ask,
    startOf('a'),
    output('a', 1),
    finishStep,
    finish('tool-calls'),
  ]
  const seen = await watch(chunks)
  const at = (chunk: Chunk): string[] => elementsIn(seen[chunks.indexOf(chunk)]!)
  expect(at(ask)).toEqual([])
  expect(at(chunks[chunks.indexOf(ask) + 1]!)).toEqual(['tool_call a', 'tool_call b'])
  expect(at(finishStep)).toEqual(['tool_call a', 'tool_call b', 'tool_response a'])
})

test('a call waits for its next chunk although a call of an earlier step with the same id was started', async () => {
  const ask: Chunk = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a', toolName: 'rm', input: {} }
  const first = [startStep, ...call('a', 'rm', { a: 1 }), modelDone, startOf('a'), output('a', 1), finishStep]
  const second = [startStep, ...call('a', 'rm', {}), modelDone, ask, finishStep]
  const seen = await watch([start, ...first, ...second, finish('tool-calls')])
  const asked = 1 + first.length + second.indexOf(ask)
  const earlier = ['tool_call a', 'tool_response a']
  expect(elementsIn(seen[asked - 1]!)).toEqual(earlier)
  expect(elementsIn(seen[asked]!)).toEqual([...earlier, 'tool_call a'])
})

test('a result that comes while the model writes a later step is written when that step is', async () => {
  const late = [startStep, ...text('t', 'b'), output('a', 1), modelDone, finishStep]
  const chunks = [start, startStep, ...call('a', 'read', {}), modelDone, finishStep, ...late, startStep]
  const seen = await watch(chunks)
  expect(elementsIn(seen.at(-1)!)).toEqual(['tool_call a', 'tool_response a', 'assistant'])
  expect(elementsIn(seen[chunks.indexOf(late.at(-3)!)]!)).toEqual(['tool_call a'])
})

test('a step without anything in it is written as an element of its own', async () => {
  const file = await makeDocument()
  const message = await record(file, [
    start,
    startStep,
    modelDone,
    finishStep,
    startStep,
    ...text('t', 'a'),
    finishStep,
    finish(),
  ])
  expect(await readBack(file)).toEqual([plain(message)])
})

test('the log has a version line, then each chunk with its offset once it is flushed', async () => {
  const file = await makeDocument()
  const transcript = await openOn(file)
  await transcript.begin({ id: 'run-1', payloads: 'inline' })
  const fold = accumulate()
  const offsets: number[] = []
  for (const chunk of [start, startStep, ...text('t', 'a')]) {
    fold.push(chunk)
    const offset = transcript.push(chunk, fold)
    await transcript.flush()
    const { lines, diagnostics } = parseLog(readFileSync(logPathOf(file), 'utf8'))
    expect(diagnostics).toEqual([])
    expect(lines.find(line => line.o === offset)?.chunk).toEqual(chunk)
    offsets.push(offset)
  }
  expect(offsets).toEqual([0, 2, 3, 4, 5])
  expect(readFileSync(logPathOf(file), 'utf8').startsWith(`${logHeader}\n`)).toBe(true)
  await transcript.close()
})

test('a message of the user is appended whole, and read back', async () => {
  const file = await makeDocument()
  const transcript = await openOn(file)
  const parts = [{ type: 'text', id: 'u-2:0', text: 'And <user> now?\n', state: 'done' }] as const
  await transcript.write({ id: 'u-2', role: 'user', status: 'sent', parts })
  expect(transcript.source).toBe(readFileSync(file, 'utf8'))
  expect(transcript.source.startsWith(prompt)).toBe(true)
  await transcript.close()
  expect(parseChatMd(transcript.source).document.entries).toHaveLength(2)
})

test('several runs follow each other in one open transcript', async () => {
  const file = await makeDocument()
  const transcript = await openOn(file)
  const messages = []
  for (const id of ['run-1', 'run-2']) {
    await transcript.begin({ id, payloads: 'external' })
    const of = (chunk: Chunk): Chunk => ('messageId' in chunk ? { ...chunk, messageId: id } : chunk)
    messages.push(
      await pushAll(
        transcript,
        [start, startStep, ...call('x', 'read', { id }), modelDone, output('x', id), finishStep, finish()].map(of),
      ),
    )
  }
  await transcript.close()
  expect(await readBack(file)).toEqual(plain(messages))
  const again = await openOn(file)
  expect({ notices: again.notices, unfinished: again.unfinished }).toEqual({ notices: [], unfinished: undefined })
  await again.close()
})

test('files of others in the folder are never overwritten, also when they appear during the run', async () => {
  const file = await makeDocument()
  const folder = join(dirname(file), '.chatmd')
  const transcript = await openOn(file)
  writeFileSync(join(folder, '41.tool-call.a.json'), 'mine')
  await transcript.begin({ id: 'run-1', payloads: 'external' })
  const fold: Accumulator = accumulate({ now: () => clock.time })
  const push = async (chunk: Chunk): Promise<void> => {
    fold.push(chunk)
    transcript.push(chunk, fold)
    await transcript.syncStep()
  }
  for (const chunk of [start, startStep, ...call('a', 'read', { n: 1 }), modelDone, startOf('a')]) await push(chunk)
  expect(readdirSync(folder)).toContain('42.tool-call.a.json')
  writeFileSync(join(folder, '43.tool-call.b.json'), 'mine')
  writeFileSync(join(folder, '42.tool-call-result.a.json'), 'mine')
  for (const chunk of [
    output('a', 1),
    finishStep,
    startStep,
    ...call('b', 'read', {}),
    modelDone,
    output('b', 2),
    finishStep,
    finish(),
  ])
    await push(chunk)
  await transcript.close()
  expect(await readBack(file)).toEqual([plain(fold.message)])
  for (const name of ['41.tool-call.a.json', '43.tool-call.b.json', '42.tool-call-result.a.json']) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe('mine')
  }
})

test('a document that another program changed is left alone, and its log goes on', async () => {
  const file = await makeDocument()
  const transcript = await openOn(file)
  await transcript.begin({ id: 'run-1', payloads: 'external' })
  const fold = accumulate({ now: () => clock.time })
  const push = async (chunk: Chunk): Promise<void> => {
    fold.push(chunk)
    transcript.push(chunk, fold)
    await transcript.syncStep()
  }
  for (const chunk of [start, startStep, ...text('t', 'a')]) await push(chunk)
  const edited = `${readFileSync(file, 'utf8')}\n<user>\nNext\n</user>\n`
  writeFileSync(file, edited)
  await expect(push(modelDone)).rejects.toMatchObject({ code: 'RUN_FILE_CHANGED' })
  await push(finishStep)
  await push(finish())
  expect(readFileSync(file, 'utf8')).toBe(edited)
  await transcript.close()
  const again = await openOn(file)
  expect(again.source.startsWith(edited)).toBe(true)
  expect(elementsIn(again.source).at(-1)).toBe('assistant')
  await again.close()
})
