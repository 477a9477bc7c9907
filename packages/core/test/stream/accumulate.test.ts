import { ArgotError, accumulate, type Chunk, type ToolInvocation, toolCalls } from '@argot/core'
import { limits } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import {
  answer,
  ask,
  available,
  callsOf,
  codesOf,
  denied,
  failure,
  finish,
  finishStep,
  folded,
  inputDelta,
  inputStart,
  messageOf,
  output,
  preview,
  start,
  startStep,
  text,
} from './chunks.ts'

describe('a call goes through its states', () => {
  test.each<[string, Chunk[], Partial<ToolInvocation>]>([
    ['starts', [inputStart()], { state: 'input-streaming' }],
    ['has its input so far', [inputStart(), inputDelta('{"q":"ca')], { state: 'input-streaming', input: { q: 'ca' } }],
    ['has its input', [inputStart(), available()], { state: 'input-available', input: { q: 'cats' } }],
    [
      'waits for approval',
      [inputStart(), available(), ask('a1')],
      { state: 'approval-requested', approval: { id: 'a1' } },
    ],
    [
      'was approved',
      [inputStart(), available(), ask('a1'), answer(true)],
      { state: 'approval-responded', approval: { id: 'a1', approved: true } },
    ],
    ['has its output', [inputStart(), available(), output({ n: 1 })], { state: 'output-available', output: { n: 1 } }],
    ['failed', [inputStart(), available(), failure('no')], { state: 'output-error', errorText: 'no' }],
    [
      'was denied',
      [inputStart(), available(), ask('a1'), answer(false), denied('why')],
      { state: 'output-denied', approval: { id: 'a1', approved: false, reason: 'why' } },
    ],
    ['comes whole', [available()], { state: 'input-available', input: { q: 'cats' } }],
  ])('%s', (_, chunks, call) => {
    const message = folded([start(), ...chunks]).message!
    expect(toolCalls(message)).toHaveLength(1)
    expect(toolCalls(message)[0]).toMatchObject(call)
  })
})

describe('the cases that others get wrong', () => {
  test('a delta without a start opens the part, with a diagnostic', () => {
    expect(callsOf([start(), inputDelta('{"q":1}'), available({ q: 1 }), output(), finish()])).toMatchObject([
      { toolCallId: 'c1', toolName: 'search', state: 'output-available', input: { q: 1 } },
    ])
    expect(codesOf([start(), inputDelta('{}'), available(), output(), finish()])).toEqual(['STREAM_NO_OPENING'])
    const loose: Chunk = { type: 'text-delta', id: 't', delta: 'hello' }
    expect(messageOf([start(), loose, finish()]).parts).toMatchObject([{ type: 'text', text: 'hello', state: 'done' }])
    expect(codesOf([start(), loose, finish()])).toEqual(['STREAM_NO_OPENING'])
  })

  test('an end without a start opens the part, with a diagnostic', () => {
    const chunks: Chunk[] = [start(), { type: 'text-end', id: 't' }, { type: 'reasoning-end', id: 'r' }, finish()]
    expect(messageOf(chunks).parts).toMatchObject([
      { type: 'text', text: '' },
      { type: 'reasoning', text: '' },
    ])
    expect(codesOf(chunks)).toEqual(['STREAM_NO_OPENING'])
  })

  test.each<[string, Chunk[], string]>([
    ['an output', [output()], 'output-available'],
    ['an error', [failure()], 'output-error'],
    ['a denial', [denied()], 'output-denied'],
    ['an approval', [ask('a1'), answer(true)], 'approval-responded'],
  ])('%s for an unknown call waits for it', (_, chunks, state) => {
    const accumulator = folded([start(), ...chunks, inputStart()])
    expect(toolCalls(accumulator.message!)).toMatchObject([{ toolCallId: 'c1', state }])
    expect(accumulator.diagnostics).toEqual([])
  })

  test('an output for a call that never comes is dropped at the end, with a diagnostic', () => {
    const chunks = [start(), output('lost'), ...text('t', 'still here'), finish()]
    expect(messageOf(chunks).parts).toMatchObject([{ type: 'text', text: 'still here' }])
    expect(codesOf(chunks)).toEqual(['STREAM_ORPHAN'])
  })

  test('a delta after the input is ignored, with a diagnostic', () => {
    const chunks = [start(), inputStart(), available(), inputDelta('{"q":"dogs"}'), output(), finish()]
    expect(callsOf(chunks)).toMatchObject([{ state: 'output-available', input: { q: 'cats' } }])
    expect(codesOf(chunks)).toEqual(['STREAM_LATE_CHUNK'])
  })

  test('an input after the output completes the input, and the output stays', () => {
    const chunks = [start(), inputStart(), output('done'), available(), finish()]
    expect(callsOf(chunks)).toMatchObject([{ state: 'output-available', input: { q: 'cats' }, output: 'done' }])
    expect(codesOf(chunks)).toEqual(['STREAM_SETTLED'])
  })

  test('edited input replaces the input, and the model’s own stays in rawInput', () => {
    const chunks = [
      start(),
      inputStart(),
      available(),
      ask('a1'),
      answer(true),
      available({ q: 'dogs' }),
      output(),
      finish(),
    ]
    expect(callsOf(chunks)).toMatchObject([
      { state: 'output-available', input: { q: 'dogs' }, rawInput: { q: 'cats' } },
    ])
  })

  test.each<[string, Chunk[], Partial<ToolInvocation>]>([
    ['a second output', [output('one'), output('two')], { state: 'output-available', output: 'one' }],
    ['an error after an output', [output('one'), failure()], { state: 'output-available', output: 'one' }],
    ['a preview after the final output', [output('one'), preview('two')], { state: 'output-available', output: 'one' }],
    ['an output after a denial', [ask('a1'), denied('no'), output('two')], { state: 'output-denied' }],
    ['an output after an error', [failure('first'), output('two')], { state: 'output-error', errorText: 'first' }],
  ])('%s does not change the first terminal state', (_, chunks, call) => {
    const all = [start(), inputStart(), available(), ...chunks, finish()]
    const [settled] = callsOf(all)
    expect(settled).toMatchObject(call)
    expect(settled!.preliminary).toBeUndefined()
    expect(codesOf(all)).toEqual(['STREAM_SETTLED'])
  })

  test('each preview replaces the one before and is not the end', () => {
    const chunks = [start(), inputStart(), available(), preview(1), preview(2)]
    expect(toolCalls(folded(chunks).message!)).toMatchObject([
      { state: 'output-available', output: 2, preliminary: true },
    ])
    expect(callsOf([...chunks, output(3), finish()])).toMatchObject([{ state: 'output-available', output: 3 }])
  })

  test('a stream that ends at a preview settles the call as an error and keeps the preview', () => {
    const [call] = callsOf([start(), inputStart(), available(), preview(2), finish()])
    expect(call).toMatchObject({ state: 'output-error', output: 2, settledBy: 'end' })
  })

  test('an id used twice in one step makes two parts, and what follows goes to the newest open one', () => {
    const chunks = [
      start(),
      startStep,
      inputStart(),
      available({ n: 1 }),
      inputStart(),
      available({ n: 2 }),
      output('second'),
      output('first'),
      finish(),
    ]
    expect(callsOf(chunks)).toMatchObject([
      { key: 'c1', input: { n: 1 }, output: 'first' },
      { key: 'c1#2', input: { n: 2 }, output: 'second' },
    ])
  })

  test('the same id in a later step makes two parts', () => {
    const step = [startStep, available(), output(), finishStep]
    const calls = callsOf([start(), ...step, ...step, finish()])
    expect(calls.map(call => [call.key, call.state])).toEqual([
      ['c1', 'output-available'],
      ['c1#2', 'output-available'],
    ])
  })

  test.each([
    [true, false],
    [false, true],
  ])('a start with dynamic %s and an input with dynamic %s make one part', (first, second) => {
    const chunks: Chunk[] = [
      start(),
      { type: 'tool-input-start', toolCallId: 'c1', toolName: 'x', dynamic: first },
      { type: 'tool-input-available', toolCallId: 'c1', toolName: 'x', input: {}, dynamic: second },
    ]
    expect(folded(chunks).message!.parts).toMatchObject([
      { type: 'dynamic-tool', toolInvocation: { state: 'input-available' } },
    ])
  })

  test.each<[string, Chunk[], string, string]>([
    ['abort', [{ type: 'abort', messageId: 'm1', reason: 'user' }], 'abort', 'cancelled'],
    ['error', [{ type: 'error', errorText: 'boom' }, finish()], 'error', 'error'],
    ['end', [], 'end', 'error'],
  ])('%s settles open calls and keeps open text', (_, ending, settledBy, status) => {
    const open: Chunk[] = [
      start(),
      startStep,
      inputStart(),
      inputDelta('{"q":"ca'),
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    ]
    const message = messageOf([...open, ...ending])
    expect(message.status).toBe(status)
    const [call] = toolCalls(message)
    expect(call).toMatchObject({ state: 'output-error', settledBy, input: { q: 'ca' }, rawInput: '{"q":"ca' })
    expect(call!.errorText).toMatch(/before this call finished/)
    expect(message.parts.at(-1)).toMatchObject({ type: 'reasoning', text: 'hm', state: 'aborted' })
  })

  test('abort keeps the text that was being written, marked as aborted', () => {
    const chunks: Chunk[] = [
      start(),
      startStep,
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'half an ans' },
      { type: 'abort', messageId: 'm1' },
    ]
    expect(messageOf(chunks).parts.at(-1)).toMatchObject({
      type: 'text',
      text: 'half an ans',
      state: 'aborted',
      phase: 'pending',
    })
  })

  test('chunks after finish are ignored and counted', () => {
    const accumulator = folded([start(), finish(), ...text('t', 'late'), output()])
    expect(accumulator.message!.parts).toEqual([])
    expect(accumulator.counts.get('STREAM_LATE_CHUNK')).toBe(4)
  })

  test('a second start with another id begins a new message', () => {
    const accumulator = folded([
      start('m1'),
      ...text('t', 'one'),
      start('m2'),
      ...text('t', 'two'),
      { type: 'finish', messageId: 'm2' },
    ])
    accumulator.end()
    expect(accumulator.messages.map(message => [message.id, message.status])).toEqual([
      ['m1', 'error'],
      ['m2', 'sent'],
    ])
    expect(accumulator.message).toBe(accumulator.messages[1])
  })

  test('a start with the same id goes on with the message', () => {
    const message = messageOf([start(), ...text('t', 'one'), start(), ...text('u', 'two'), finish()])
    expect(message.parts).toMatchObject([{ text: 'one' }, { text: 'two' }])
  })

  test('a text id that is used again while open ends the first part and begins a second', () => {
    const chunks: Chunk[] = [
      start(),
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'one' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'two' },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'three' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'four' },
      { type: 'text-end', id: 't' },
      finish(),
    ]
    expect(messageOf(chunks).parts).toMatchObject([
      { text: 'one', state: 'done' },
      { text: 'two', state: 'done' },
      { text: 'three', state: 'done' },
      { text: 'four', state: 'done' },
    ])
  })

  test('without a start an id is made up, with a diagnostic', () => {
    expect(messageOf([...text('t', 'hi'), finish()]).id).toBe('made-up')
    expect(codesOf([...text('t', 'hi'), finish()])).toEqual(['STREAM_NO_START'])
  })

  test('an approval request without an approvalId goes by the id of the call', () => {
    const accumulator = folded([start(), available(), ask(), answer(true, 'c1')])
    expect(toolCalls(accumulator.message!)).toMatchObject([
      { state: 'approval-responded', approval: { id: 'c1', approved: true } },
    ])
  })

  test('an answer to another approval, and a second answer, are ignored', () => {
    const accumulator = folded([start(), available(), ask('a1'), answer(true, 'other')])
    expect(toolCalls(accumulator.message!)[0]!.state).toBe('approval-requested')
    accumulator.push(answer(false))
    accumulator.push(answer(true))
    expect(toolCalls(accumulator.message!)[0]!.approval).toEqual({ id: 'a1', approved: false })
    expect(accumulator.counts.get('STREAM_SETTLED')).toBe(2)
  })

  test('tool-input-error ends the call and keeps the raw input', () => {
    const error: Chunk = {
      type: 'tool-input-error',
      toolCallId: 'c1',
      toolName: 'search',
      input: '<tool:search>',
      errorText: 'unclosed',
    }
    expect(callsOf([start(), inputStart(), error, finish()])).toMatchObject([
      { state: 'output-error', rawInput: '<tool:search>', errorText: 'unclosed' },
    ])
  })

  test('reset-step takes back what came since the last start-step, and what comes late for it is ignored', () => {
    const chunks: Chunk[] = [
      start(),
      startStep,
      ...text('a', 'kept'),
      finishStep,
      startStep,
      { type: 'text-start', id: 'b' },
      { type: 'text-delta', id: 'b', delta: 'gone' },
      inputStart('c9'),
      { type: 'reset-step' },
      { type: 'text-delta', id: 'b', delta: 'late' },
      output('late', 'c9'),
      startStep,
      ...text('d', 'again'),
      finishStep,
      finish(),
    ]
    expect(messageOf(chunks).parts).toMatchObject([
      { type: 'step-start' },
      { text: 'kept' },
      { type: 'step-start' },
      { text: 'again' },
    ])
    expect(codesOf(chunks)).toEqual(['STREAM_LATE_CHUNK'])
  })

  test('a run that is parked on an approval goes on under the same message id', () => {
    const accumulator = folded([start(), startStep, available(), ask('a1'), finishStep, finish('tool-calls')])
    accumulator.end()
    expect(accumulator.message!.status).toBe('sent')
    expect(toolCalls(accumulator.message!)[0]!.state).toBe('approval-requested')
    for (const chunk of [
      start(),
      answer(true),
      output('done'),
      startStep,
      ...text('t', 'Here.'),
      finishStep,
      finish('stop'),
    ])
      accumulator.push(chunk)
    accumulator.end()
    expect(accumulator.messages).toHaveLength(1)
    expect(toolCalls(accumulator.message!)).toMatchObject([{ state: 'output-available', output: 'done' }])
    expect(accumulator.message!.parts.at(-1)).toMatchObject({ text: 'Here.', phase: 'final' })
    expect(accumulator.diagnostics).toEqual([])
  })
})

describe('snapshots', () => {
  test('share unchanged parts and never change', () => {
    const accumulator = folded([start(), startStep, ...text('t', 'Looking.'), inputStart(), inputDelta('{"q":"ca')])
    const before = accumulator.message!
    const shown = JSON.stringify(before)
    accumulator.push(inputDelta('ts"'))
    const after = accumulator.message!
    expect(after).not.toBe(before)
    expect(after.parts.slice(0, 2).every((part, index) => part === before.parts[index])).toBe(true)
    expect(after.parts[2]).not.toBe(before.parts[2])
    expect(JSON.stringify(before)).toBe(shown)
    expect(toolCalls(after)[0]!.input).toEqual({ q: 'cats' })
  })

  test('are the same object while nothing changes', () => {
    const accumulator = folded([start(), inputStart(), inputDelta('{"a":[1,2')])
    expect(accumulator.message).toBe(accumulator.message)
    const call = toolCalls(accumulator.message!)[0]!
    expect(call.input).toBe(call.input)
  })

  test('show the input of their moment, also when it is first read much later', () => {
    const accumulator = folded([start(), inputStart(), inputDelta('{"list":[{"a":1},{"b":"x')])
    const early = toolCalls(accumulator.message!)[0]!
    for (const delta of ['yz","c":', 'true}', '],"more":"']) accumulator.push(inputDelta(delta))
    const late = toolCalls(accumulator.message!)[0]!
    accumulator.push(available({ list: [] }))
    expect(early.input).toEqual({ list: [{ a: 1 }, { b: 'x' }] })
    expect(late.input).toEqual({ list: [{ a: 1 }, { b: 'xyz', c: true }], more: '' })
  })

  test('give their growing input to spread, JSON and structuredClone', () => {
    const call = toolCalls(folded([start(), inputStart(), inputDelta('{"q":"ca')]).message!)[0]!
    expect({ ...call }.input).toEqual({ q: 'ca' })
    expect(JSON.parse(JSON.stringify(call)).input).toEqual({ q: 'ca' })
    expect(structuredClone(call).input).toEqual({ q: 'ca' })
  })

  test('carry times, titles, provider metadata and details', () => {
    let time = 1000
    const chunks: Chunk[] = [
      start(),
      {
        type: 'tool-input-start',
        toolCallId: 'c1',
        toolName: 'search',
        title: 'Search',
        providerMetadata: { openai: { itemId: 'i' } },
      },
      available(),
      {
        type: 'tool-output-available',
        toolCallId: 'c1',
        output: 'ok',
        providerMetadata: { argot: { details: { rows: 3 } } },
      },
    ]
    const accumulator = accumulate({ now: () => (time += 5) })
    for (const chunk of chunks) accumulator.push(chunk)
    const [call] = toolCalls(accumulator.message!)
    expect(call).toMatchObject({
      title: 'Search',
      details: { rows: 3 },
      callProviderMetadata: { openai: { itemId: 'i' } },
    })
    expect(call!.endedAt! - call!.startedAt!).toBeGreaterThan(0)
  })
})

describe('onToolCall', () => {
  test('fires once per state change, not per delta', () => {
    const states: string[] = []
    folded(
      [
        start(),
        inputStart(),
        inputDelta('{'),
        inputDelta('}'),
        available(),
        ask('a1'),
        answer(true),
        available({ q: 'dogs' }),
        preview(1),
        preview(2),
        output(3),
        output(4),
      ],
      {
        onToolCall: ({ toolCall }) => states.push(toolCall.state),
      },
    )
    expect(states).toEqual([
      'input-streaming',
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-available',
    ])
  })

  test('that throws or rejects is reported and stops nothing', async () => {
    const accumulator = folded([start(), inputStart(), available(), output()], {
      onToolCall: ({ toolCall }) => {
        if (toolCall.state === 'input-available') return Promise.reject(new Error('later'))
        throw new Error('now')
      },
    })
    await Promise.resolve()
    expect(toolCalls(accumulator.message!)[0]!.state).toBe('output-available')
    expect(accumulator.counts.get('STREAM_CALLBACK_FAILED')).toBe(3)
  })
})

describe('metadata and data', () => {
  test('metadata of start, message-metadata (both spellings) and finish is merged', () => {
    const chunks: Chunk[] = [
      { type: 'start', messageId: 'm1', messageMetadata: { model: 'x', usage: { in: 1 } } },
      { type: 'message-metadata', metadata: { usage: { out: 2 } } },
      { type: 'finish', messageId: 'm1', messageMetadata: JSON.parse('{"__proto__":{"polluted":true},"done":true}') },
    ]
    const { metadata } = messageOf(chunks)
    expect(metadata).toMatchObject({ model: 'x', usage: { in: 1, out: 2 }, done: true })
    expect(Object.keys(metadata!)).toContain('__proto__')
    expect((metadata as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('a data chunk with a known id replaces the data, a transient one leaves nothing', () => {
    const chunks: Chunk[] = [
      start(),
      { type: 'data-chart', id: 'a', data: 1 },
      { type: 'data-chart', data: 2 },
      { type: 'data-chart', id: 'a', data: 3 },
      { type: 'data-note', data: 4, transient: true },
      finish(),
    ]
    expect(messageOf(chunks).parts).toEqual([
      { type: 'data-chart', id: 'a', data: 3 },
      { type: 'data-chart', data: 2 },
    ])
  })
})

describe('resume', () => {
  test('refuses a state of another version', () => {
    const state = { ...accumulate().toJSON(), version: 2 } as unknown as ReturnType<
      ReturnType<typeof accumulate>['toJSON']
    >
    expect(() => accumulate({ state })).toThrow(ArgotError)
  })

  test('goes on in the middle of a surrogate pair and of an escape', () => {
    const chunks = [
      start(),
      inputStart(),
      inputDelta('{"a":"\\u00'),
      inputDelta('e9\ud83d'),
      inputDelta('\ude00"}'),
      available({ a: 'é😀' }),
      output(),
      finish(),
    ]
    for (let cut = 0; cut <= chunks.length; cut++) {
      const saved = JSON.parse(JSON.stringify(folded(chunks.slice(0, cut))))
      const resumed = folded(chunks.slice(cut), { state: saved })
      expect(resumed.message, `cut at ${cut}`).toEqual(folded(chunks).message)
    }
  })
})

describe('limits', () => {
  test('a call past 8 MiB is settled and what follows goes on', () => {
    const piece = 'x'.repeat(1024 * 1024)
    const chunks = [
      start(),
      inputStart(),
      inputDelta('{"a":"'),
      ...Array.from({ length: 9 }, () => inputDelta(piece)),
      ...text('t', 'after'),
      finish(),
    ]
    const message = messageOf(chunks)
    expect(toolCalls(message)).toMatchObject([{ state: 'output-error', settledBy: 'limit' }])
    expect(message.parts.at(-1)).toMatchObject({ text: 'after' })
    expect(codesOf(chunks)).toContain('STREAM_CALL_TOO_LONG')
  })

  test.each<[string, Chunk[], string]>([
    [
      'a name past 128 characters',
      [inputStart('c1', 'n'.repeat(200)), available({}, 'c1', 'n'.repeat(200)), output()],
      'STREAM_NAME_TOO_LONG',
    ],
    [
      'more than 1 000 parameters',
      [available(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`p${i}`, i])))],
      'STREAM_TOO_MANY_PARAMETERS',
    ],
    ['an id that is too long', [inputStart('c'.repeat(limits.idLength + 1))], 'STREAM_BAD_CHUNK'],
    [
      'more than 1 000 orphans',
      Array.from({ length: 1001 }, (_, i) => output('x', `o${i}`)),
      'STREAM_TOO_MANY_ORPHANS',
    ],
    ['JSON nested too deeply', [inputStart(), inputDelta('['.repeat(600))], 'STREAM_TOO_DEEP'],
  ])('%s has its own diagnostic', (_, chunks, code) => {
    expect(codesOf([start(), ...chunks, finish()])).toContain(code)
  })

  test('JSON nested too deeply keeps its raw text', () => {
    const raw = `{"a":${'['.repeat(600)}`
    expect(callsOf([start(), inputStart(), inputDelta(raw), finish()])).toMatchObject([{ rawInput: raw }])
  })

  test('a lone surrogate becomes U+FFFD, a pair cut in two does not', () => {
    const chunks: Chunk[] = [
      start(),
      ...text('a', 'x\ud83d', '\ude00y'),
      ...text('b', 'x\ud83d', 'y\ude00', '\ud83d'),
      finish(),
    ]
    expect(messageOf(chunks).parts).toMatchObject([{ text: 'x😀y' }, { text: 'x\ufffdy\ufffd\ufffd' }])
    expect(codesOf(chunks)).toEqual(['STREAM_LONE_SURROGATE'])
  })
})
