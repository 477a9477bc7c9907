import { type Chunk, toChatMessage } from '@argot/core'
import { Commentary } from '@argot/core/stream'
import { type CommentaryPolicy, stepMark } from '@argot/core/stream/internal'
import { describe, expect, test } from 'vitest'
import { available, finish, finishStep, inputStart, messageOf, output, start, startStep, text } from './chunks.ts'

function through(chunks: readonly Chunk[], policy: CommentaryPolicy = 'provisional'): Chunk[] {
  const out: Chunk[] = []
  const commentary = new Commentary(chunk => out.push(chunk), { policy })
  for (const chunk of chunks) commentary.push(chunk)
  commentary.end()
  return out
}

const phasesOf = (chunks: readonly Chunk[]): (string | undefined)[][] =>
  messageOf(chunks)
    .parts.filter(part => part.type === 'text')
    .map(part => [part.text, part.phase, ...(part.toolCallId ? [part.toolCallId] : [])])

const call = (id: string): Chunk[] => [inputStart(id), available({}, id), output('ok', id)]
const providerCall = (toolCallId: string): Chunk[] => [
  { type: 'tool-input-start', toolCallId, toolName: 'web', providerExecuted: true },
  { type: 'tool-input-available', toolCallId, toolName: 'web', input: {}, providerExecuted: true },
  { type: 'tool-output-available', toolCallId, output: 1, providerExecuted: true },
]

describe('what a text is for', () => {
  test.each<[string, Chunk[], (string | undefined)[][]]>([
    ['text of a step without calls is the answer', [startStep, ...text('t', 'Hi.'), finishStep], [['Hi.', 'final']]],
    [
      'text before a call is its commentary',
      [startStep, ...text('t', 'Look.'), ...call('c1'), finishStep],
      [['Look.', 'commentary', 'c1']],
    ],
    [
      'each call owns the text since the call before',
      [startStep, ...text('a', 'A'), ...call('c1'), ...text('b', 'B'), ...call('c2'), finishStep],
      [
        ['A', 'commentary', 'c1'],
        ['B', 'commentary', 'c2'],
      ],
    ],
    [
      'text after the last call of a step that goes on is commentary after that call',
      [startStep, ...call('c1'), ...text('a', 'Waiting.'), finishStep],
      [['Waiting.', 'commentary', 'c1']],
    ],
    [
      'text after provider-executed calls is the answer',
      [startStep, ...text('a', 'Search.'), ...providerCall('p'), ...text('b', 'Found.'), finishStep],
      [
        ['Search.', 'commentary', 'p'],
        ['Found.', 'final'],
      ],
    ],
    [
      'in a stream without steps the last text is the answer',
      [...text('a', 'A'), ...call('c1'), ...text('b', 'B')],
      [
        ['A', 'commentary', 'c1'],
        ['B', 'final'],
      ],
    ],
    [
      'several texts before a call all lead to it',
      [startStep, ...text('a', 'A'), ...text('b', 'B'), ...call('c1'), finishStep],
      [
        ['A', 'commentary', 'c1'],
        ['B', 'commentary', 'c1'],
      ],
    ],
    [
      'a call that comes without its start decides too',
      [startStep, ...text('a', 'A'), available(), output(), finishStep],
      [['A', 'commentary', 'c1']],
    ],
    [
      'an id that is used again before the decision keeps both texts',
      [startStep, ...text('0', 'A'), ...text('0', 'B'), ...call('c1'), ...text('0', 'C'), finishStep],
      [
        ['A', 'commentary', 'c1'],
        ['B', 'commentary', 'c1'],
        ['C', 'commentary', 'c1'],
      ],
    ],
    [
      'a text that goes on after a call is cut there',
      [
        startStep,
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: 'A' },
        ...call('c1'),
        { type: 'text-delta', id: '0', delta: 'B' },
        { type: 'text-end', id: '0' },
        ...call('c2'),
        finishStep,
      ],
      [
        ['A', 'commentary', 'c1'],
        ['B', 'commentary', 'c2'],
      ],
    ],
  ])('%s', (_, chunks, phases) => {
    const stream = [start(), ...chunks, finish()]
    expect(phasesOf(stream)).toEqual(phases)
    expect(phasesOf(through(stream))).toEqual(phases)
  })

  test('a phase that the provider gives wins', () => {
    const given = (id: string, phase: string, delta: string): Chunk[] => [
      { type: 'text-start', id, providerMetadata: { openai: { phase } } },
      { type: 'text-delta', id, delta },
      { type: 'text-end', id },
    ]
    const stream = [
      start(),
      startStep,
      ...given('a', 'commentary', 'A'),
      ...given('b', 'final_answer', 'B'),
      ...call('c1'),
      finishStep,
      finish(),
    ]
    expect(phasesOf(stream)).toEqual([
      ['A', 'commentary', 'c1'],
      ['B', 'final'],
    ])
    expect(through(stream)[2]).toMatchObject({
      type: 'text-start',
      providerMetadata: { openai: { phase: 'commentary' }, argot: { phase: 'commentary' } },
    })
  })
})

describe('the decision', () => {
  test('falls at the mark of a loop that the model is done, before its tools have answered', () => {
    const mark: Chunk = { type: stepMark, transient: true, data: {} }
    const early = [inputStart('c1'), available({}, 'c1'), ...text('t', 'Waiting.'), mark]
    const out = through([startStep, ...early, output('ok', 'c1'), finishStep])
    const end = out.findIndex(chunk => chunk.type === 'text-end')
    expect(out[end]).toMatchObject({ providerMetadata: { argot: { phase: 'commentary', toolCallId: 'c1' } } })
    expect(out[end + 1]).toEqual(mark)
    const alone = through([startStep, ...text('t', 'Hi.'), mark, finishStep])
    expect(alone.at(-3)).toMatchObject({ type: 'text-end', providerMetadata: { argot: { phase: 'final' } } })
  })

  test('stands on text-end, just before the call that decides it, beside the provider’s own metadata', () => {
    const chunks: Chunk[] = [
      start(),
      startStep,
      { type: 'text-start', id: 't', providerMetadata: { openai: { itemId: 'i' } } },
      { type: 'text-delta', id: 't', delta: 'Look.' },
      { type: 'text-end', id: 't', providerMetadata: { openai: { itemId: 'i' } } },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-end', id: 'r' },
      inputStart(),
    ]
    const out = through(chunks)
    expect(out.slice(-3)).toEqual([
      { type: 'reasoning-end', id: 'r' },
      {
        type: 'text-end',
        id: 't',
        providerMetadata: { openai: { itemId: 'i' }, argot: { phase: 'commentary', toolCallId: 'c1' } },
      },
      inputStart(),
    ])
  })

  test('of a step without calls stands before finish-step', () => {
    const out = through([start(), startStep, ...text('t', 'Hi.'), finishStep, finish()])
    expect(out.slice(-3)).toEqual([
      { type: 'text-end', id: 't', providerMetadata: { argot: { phase: 'final' } } },
      finishStep,
      finish(),
    ])
  })

  test('while it is open, the text shows at once as pending', () => {
    const chunks: Chunk[] = [
      start(),
      startStep,
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Look' },
    ]
    expect(through(chunks).slice(0, 4)).toEqual(chunks)
  })

  test('under the policy defer nothing shows before it', () => {
    const chunks = [start(), startStep, ...text('t', 'Lo', 'ok.'), inputStart()]
    expect(through(chunks, 'defer')).toEqual([
      start(),
      startStep,
      { type: 'text-start', id: 't', providerMetadata: { argot: { phase: 'commentary', toolCallId: 'c1' } } },
      { type: 'text-delta', id: 't', delta: 'Look.' },
      { type: 'text-end', id: 't', providerMetadata: { argot: { phase: 'commentary', toolCallId: 'c1' } } },
      inputStart(),
    ])
  })

  test('of a run that stops marks the text as aborted', () => {
    const out = through([
      start(),
      startStep,
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Ha' },
      { type: 'abort', messageId: 'm1' },
    ])
    expect(out.at(-2)).toEqual({ type: 'text-end', id: 't', providerMetadata: { argot: { state: 'aborted' } } })
  })
})

test('the three-step example of the seed', () => {
  const chunks: Chunk[] = [
    start(),
    startStep,
    ...text('0', "I'll search for ", 'your notes...'),
    inputStart('s', 'search_notes'),
    available({ q: 'notes' }, 's', 'search_notes'),
    output([1, 2, 3], 's'),
    finishStep,
    startStep,
    ...text('0', 'Found 3 notes. Let me read the first one...'),
    inputStart('g', 'get_note'),
    available({ id: 1 }, 'g', 'get_note'),
    output('text', 'g'),
    finishStep,
    startStep,
    ...text('0', "Here's what I found: ", '[final response]'),
    finishStep,
    finish('stop'),
  ]
  expect(toChatMessage(messageOf(chunks))).toEqual({
    id: 'm1',
    role: 'assistant',
    content: "Here's what I found: [final response]",
    createdAt: new Date(0),
    toolActivity: { isActive: false },
    toolCalls: [
      {
        id: 's',
        name: 'search_notes',
        args: { q: 'notes' },
        result: [1, 2, 3],
        status: 'completed',
        commentary: "I'll search for your notes...",
      },
      {
        id: 'g',
        name: 'get_note',
        args: { id: 1 },
        result: 'text',
        status: 'completed',
        commentary: 'Found 3 notes. Let me read the first one...',
      },
    ],
  })
})
