import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Chunk, replay } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'
import { parseLog } from '@argot/core/stream'
import { expect, test } from 'vitest'
import type { Transcript } from '../../src/transcript/transcript.ts'
import {
  dropLock,
  forgetWritten,
  logPathOf,
  makeDocument,
  openOn,
  plain,
  prompt,
  pushAll,
  readBack,
  record,
} from './runs.ts'
import { call, finish, finishStep, modelDone, output, ownStreams, start, startOf, startStep, text } from './streams.ts'

/** A run whose process is killed behind these chunks. */
async function die(file: string, chunks: readonly Chunk[], id = 'run-1'): Promise<void> {
  const transcript = await openOn(file)
  await continueOrBegin(transcript, id)
  await pushAll(transcript, chunks)
  dropLock(file)
}

/** A run that is not over is continued, whatever name the next one would have. */
async function continueOrBegin(transcript: Transcript, id: string): Promise<void> {
  if (transcript.unfinished === undefined) await transcript.begin({ id, payloads: 'external' })
  else await transcript.resume()
}

/** Opens and closes, with what the transcript said in between. */
async function look(file: string): Promise<Seen> {
  const transcript = await openOn(file)
  const { source, notices, unfinished } = transcript
  await transcript.close()
  if (unfinished === undefined) return { source, notices, recovered: undefined }
  const { runId, messageId, answers, replayed } = unfinished
  return { source, notices, recovered: { runId, messageId, started: replayed.started, answers } }
}

interface Seen extends Pick<Transcript, 'source' | 'notices'> {
  recovered: { runId: string; messageId: string; started: ReadonlySet<string>; answers: readonly unknown[] } | undefined
}

const tool = [
  start,
  startStep,
  ...text('t', 'I do. '),
  ...call('a', 'shell', { n: 1 }),
  ...call('b', 'shell', { n: 2 }),
]

test('a crash inside a tool: the calls are in the document without a response, and the one that was started is known', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a')])
  const { recovered, notices } = await look(file)
  expect(recovered).toEqual({ runId: 'run-1', messageId: 'msg-1', started: new Set(['a']), answers: [] })
  expect(notices).toEqual([
    'The last run of `chat.chatmd` (`run-1`) was interrupted.',
    '3 elements were missing from `chat.chatmd` and appended from the log of run `run-1`.',
  ])
  const [message] = await readBack(file)
  expect(message?.parts.map(part => ('toolInvocation' in part ? part.toolInvocation.state : part.type))).toEqual([
    'step-start',
    'text',
    'input-available',
    'input-available',
  ])
})

test('a tool that answered before the crash is not among those that were started', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a'), output('a', 1), startOf('b')])
  expect((await look(file)).recovered?.started).toEqual(new Set(['b']))
})

test('a crash while the model writes: the step is taken back in the log, and what its tools gave is known', async () => {
  const file = await makeDocument()
  const details: Chunk = {
    type: 'tool-output-available',
    toolCallId: 'c',
    output: { text: 'x' },
    providerMetadata: { argot: { details: 7 } },
  }
  const first = [...tool, modelDone, output('a', 1), output('b', 2), finishStep]
  await die(file, [
    ...first,
    startStep,
    ...text('u', 'half'),
    ...call('c', 'read', { p: 1 }),
    details,
    ...call('d', 'read', {}),
  ])
  const { recovered } = await look(file)
  expect(recovered).toEqual({
    runId: 'run-1',
    messageId: 'msg-1',
    started: new Set(),
    answers: [{ toolName: 'read', input: { p: 1 }, output: { text: 'x' }, details: 7 }],
  })
  const { lines, diagnostics } = parseLog(readFileSync(logPathOf(file), 'utf8'))
  expect(diagnostics).toEqual([])
  expect(lines.at(-1)?.chunk).toEqual({ type: 'reset-step' })
  const types: string[] = []
  for await (const chunk of replay(lines, { speed: Number.POSITIVE_INFINITY }))
    if ('toolCallId' in chunk) types.push(chunk.toolCallId)
  expect(new Set(types)).toEqual(new Set(['a', 'b']))
  expect(await readBack(file)).toHaveLength(1)
})

test('opening twice recovers the same, and appends nothing twice', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a')])
  const first = await look(file)
  const second = await look(file)
  expect(second.recovered).toEqual(first.recovered)
  expect(second.source).toBe(first.source)
})

const sameIdTwice = [
  start,
  startStep,
  ...call('a', 'shell', { n: 1 }),
  output('a', 1),
  finishStep,
  startStep,
  ...call('a', 'shell', { n: 2 }),
  output('a', 2),
  finishStep,
  finish(),
]

test.each(['inline', 'external'] as const)(
  'a call whose id an earlier call had is appended once, and no call or response twice (payloads %s)',
  async payloads => {
    const file = await makeDocument()
    const message = await record(file, sameIdTwice, { payloads })
    forgetWritten(file)
    const whole = readFileSync(file, 'utf8')
    const log = readFileSync(logPathOf(file))
    const ends = [...whole.matchAll(/<\/(?:user|tool_call|tool_response)>\n?/g)].map(end => end.index + end[0].length)
    expect(ends).toHaveLength(5)
    for (const end of ends) {
      writeFileSync(file, whole.slice(0, end))
      writeFileSync(logPathOf(file), log)
      await look(file)
      expect(await readBack(file)).toEqual([plain(message)])
    }
  },
)

test('a run that is continued knows what it knew when its process died, until it has settled it', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a')])
  const next = async (chunks: readonly Chunk[]): Promise<void> => {
    const transcript = await openOn(file)
    const fold = await transcript.resume()
    await pushAll(transcript, chunks, fold)
    dropLock(file)
  }
  await next([start])
  const known = { runId: 'run-1', messageId: 'msg-1', started: new Set(['a']), answers: [] }
  expect((await look(file)).recovered).toEqual(known)
  await next([start, { type: 'tool-output-error', toolCallId: 'a', errorText: 'Interrupted.' }, startOf('b')])
  expect((await look(file)).recovered).toMatchObject({ runId: 'run-1', started: new Set(['b']) })
  const messages = await readBack(file)
  expect(messages).toHaveLength(1)
  expect(messages[0]!.parts.filter(part => 'toolInvocation' in part)).toHaveLength(2)
  const { lines } = parseLog(readFileSync(logPathOf(file), 'utf8'))
  expect(lines.map(line => line.o)).toEqual(lines.map((_, at) => at))
})

test('what tools gave in a step that is made again is known until it has been made again', async () => {
  const file = await makeDocument()
  const half = [start, startStep, ...call('a', 'read', { p: 1 }), output('a', 'x'), ...text('t', 'I')]
  await die(file, half)
  await die(file, [start, startStep, { type: 'text-start', id: 'u' }])
  expect((await look(file)).recovered).toMatchObject({ runId: 'run-1', answers: [{ toolName: 'read', output: 'x' }] })
  await die(file, [start, startStep, ...text('t', 'I'), modelDone, finishStep, startStep])
  expect((await look(file)).recovered).toMatchObject({ runId: 'run-1', answers: [] })
})

test('once a run has begun in its place, and ended, a run that died is not recovered again', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a')])
  await look(file)
  const [before] = await readBack(file)
  const settle = [output('a', 1), output('b', 2), startStep, ...text('f', 'Done.'), modelDone, finishStep, finish()]
  const chunks = [start, ...call('a', 'shell', { n: 1 }), ...call('b', 'shell', { n: 2 }), ...settle]
  await record(file, chunks, { id: 'run-2', before: before! })
  const { recovered, notices } = await look(file)
  expect({ recovered, notices }).toEqual({ recovered: undefined, notices: [] })
  const [message] = await readBack(file)
  expect(message).toMatchObject({ status: 'sent', finishReason: 'stop' })
  expect(message!.parts.map(part => ('toolInvocation' in part ? part.toolInvocation.output : part.type))).toEqual([
    'step-start',
    'text',
    1,
    2,
    'step-start',
    'text',
  ])
})

test('what a person deletes from a run that ended does not come back', async () => {
  const file = await makeDocument()
  await record(file, ownStreams[0]![1])
  writeFileSync(file, prompt)
  const { source, notices } = await look(file)
  expect(source).toBe(prompt)
  expect(notices).toEqual([])
})

test('a document that became another one gets nothing of the old one; the log keeps it', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone])
  const other = '<user>\nSomething else\n</user>\n'
  writeFileSync(file, other)
  const { source, notices, recovered } = await look(file)
  expect({ source, recovered }).toEqual({ source: other, recovered: undefined })
  expect(notices).toEqual([expect.stringContaining("That run's output stays in its log.")])
})

test('an edit above the elements of a run that died does not keep the rest of it from being appended', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a'), startOf('b'), output('a', 1)])
  const source = readFileSync(file, 'utf8')
  const cut = source.slice(0, source.indexOf('\n<tool_response'))
  writeFileSync(file, cut.replace('naïve', 'wise'))
  const after = await look(file)
  expect(after.source.startsWith(cut.replace('naïve', 'wise'))).toBe(true)
  const [message] = await readBack(file)
  expect(message!.parts[2]).toMatchObject({ toolInvocation: { state: 'output-available', output: 1 } })
})

test('a message of the user that was cut off behind elements of a run is moved away and said', async () => {
  const file = await makeDocument()
  await record(file, ownStreams[2]![1])
  const before = readFileSync(file)
  const transcript = await openOn(file)
  const parts = [{ type: 'text', id: 'p', text: 'Weiter — ünd 🙂', state: 'done' }] as const
  await transcript.write({ id: 'u-2', role: 'user', status: 'sent', parts })
  await transcript.close()
  const whole = readFileSync(file)
  for (let size = before.length + 2; size < whole.length - 1; size++) {
    writeFileSync(file, whole.subarray(0, size))
    const { source, notices } = await look(file)
    expect(source.trimEnd(), `cut at ${size}`).toBe(before.toString().trimEnd())
    expect(notices).toEqual([
      expect.stringMatching(
        /^`chat\.chatmd` ended in the middle of an element\. .*`\.chatmd\/tails\/chat\.chatmd\/\d+\.txt`\.$/,
      ),
    ])
    const tail = /tails\/chat\.chatmd\/\d+\.txt/.exec(notices[0]!)![0]
    const moved = readFileSync(join(dirname(file), '.chatmd', tail))
    expect(Buffer.concat([Buffer.from(source), moved])).toEqual(whole.subarray(0, size))
  }
})

test.each([
  ['a message that a person has not closed', '\n<user>\nAnd then'],
  ['an answer that a person has not closed', '\n<assistant>\nI'],
  ['a setting that a person has not closed', '\n<config model="a'],
])('%s is left to the checker', async (_, tail) => {
  const file = await makeDocument()
  await record(file, ownStreams[2]![1])
  appendFileSync(file, tail)
  const before = readFileSync(file, 'utf8')
  const { source, notices } = await look(file)
  expect({ source, notices }).toEqual({ source: before, notices: [] })
  expect(parseChatMd(source).diagnostics.some(one => one.severity === 'error')).toBe(true)
})

test('a half tag in a document without a run is left to the checker', async () => {
  const file = await makeDocument('<user>\nHi\n</user>\n<assist')
  expect(await look(file)).toMatchObject({ source: '<user>\nHi\n</user>\n<assist', notices: [] })
})

test('bytes that are not UTF-8 are refused with their place', async () => {
  const file = await makeDocument()
  writeFileSync(file, Buffer.from([0x3c, 0x75, 0xff, 0x20, 0x20, 0x20, 0x20]))
  await expect(openOn(file)).rejects.toMatchObject({
    code: 'CHATMD_BAD_ENCODING',
    message: expect.stringContaining('offset 2'),
  })
  writeFileSync(file, Buffer.concat([Buffer.from(prompt), Buffer.from([0xf0, 0x9f])]))
  await expect(openOn(file)).rejects.toMatchObject({ code: 'CHATMD_BAD_ENCODING' })
  writeFileSync(file, prompt)
  await (await openOn(file)).close()
})

test('a file that is not there rejects with the error of the system, and leaves nothing behind', async () => {
  const file = await makeDocument()
  await expect(openOn(join(dirname(file), 'no.chatmd'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(readdirSync(dirname(file))).toEqual(['chat.chatmd'])
})

test('logs that are nonsense hinder nobody', async () => {
  const file = await makeDocument()
  await record(file, ownStreams[2]![1])
  const logs = [
    '',
    'x',
    '{"argot":"run-log","version":1}\n',
    '{"o":0,"t":0,"chunk":{"type":"data-argot-begin","data":null}}\n',
    '{"o":0,"t":0,"chunk":{"type":"data-argot-begin","data":{"run":"x","payloads":"inline","size":0,"digest":"","message":{"id":"m","parts":[null]}}}}\n',
    '{"o":0,"t":0,"chunk":{"type":"start"}}\n{"o":1,"t":0,"chunk":{"type":"data-argot-begin","data":{"run":"y","payloads":"inline","size":9,"digest":"z","from":"../../../x"}}}\n',
  ]
  for (const [index, log] of logs.entries()) writeFileSync(logPathOf(file, `bad-${index}`), log)
  const before = readFileSync(file, 'utf8')
  expect((await look(file)).source).toBe(before)
  const message = await record(
    file,
    [{ ...start, messageId: 'm2' } as Chunk, ...text('t', 'Hi'), { type: 'finish', messageId: 'm2' }],
    {
      id: 'run-9',
    },
  )
  expect((await readBack(file)).at(-1)).toEqual(plain(message))
  expect((await look(file)).notices).toEqual([])
})

test('a run that another one follows in the same open transcript is over', async () => {
  const file = await makeDocument()
  const transcript = await openOn(file)
  await transcript.begin({ id: 'run-1', payloads: 'inline' })
  await pushAll(transcript, [...tool, modelDone, startOf('a')])
  await transcript.begin({ id: 'run-2', payloads: 'inline' })
  await pushAll(transcript, [start])
  await transcript.close()
  expect((await look(file)).recovered).toMatchObject({ runId: 'run-2' })
  const { lines } = parseLog(readFileSync(logPathOf(file), 'utf8'))
  expect(lines.slice(-2).map(({ chunk }) => chunk.type)).toEqual(['abort', 'data-argot-written'])
})

const twoSteps = [
  ...tool,
  modelDone,
  startOf('a'),
  output('a', 'x'),
  startOf('b'),
  output('b', 'y'),
  finishStep,
  startStep,
  ...text('u', 'More. '),
]

test('a run says the same of its elements after it was resumed, and an opening without news adds nothing', async () => {
  const file = await makeDocument()
  await die(file, [...tool, modelDone, startOf('a'), output('a', 'x')])
  await die(file, [startOf('b'), output('b', 'y'), finishStep])
  await look(file)
  const before = readFileSync(file, 'utf8')
  expect(before).not.toMatch(/ (?:run|message|offset|step|ms|meta|argot)\b/)
  expect((await look(file)).recovered).toMatchObject({ runId: 'run-1', messageId: 'msg-1' })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await readBack(file)).map(({ id }) => id)).toEqual(['msg-1'])
})

test('an element that a person took out stays out', async () => {
  const file = await makeDocument()
  await die(file, twoSteps)
  const whole = readFileSync(file, 'utf8')
  const without = whole.replace(/\n<assistant>[\s\S]*?<\/assistant>\n/, '')
  expect(without).not.toBe(whole)
  writeFileSync(file, without)
  await look(file)
  const calls = (await readBack(file)).flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool'))
  expect(calls).toHaveLength(2)
  expect(readFileSync(file, 'utf8').startsWith(without)).toBe(true)
  expect(readFileSync(file, 'utf8').match(/I do\. /g)).toBe(null)
})
