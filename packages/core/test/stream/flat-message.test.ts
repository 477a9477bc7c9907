import { type Chunk, fromChatMessage, getMessageText, toChatMessage, toolActivity } from '@argot/core'
import type { FlatChatMessage } from '@argot/core/types'
import { describe, expect, test } from 'vitest'
import {
  answer,
  ask,
  available,
  denied,
  failure,
  finish,
  finishStep,
  folded,
  inputStart,
  messageOf,
  output,
  preview,
  start,
  startStep,
  text,
} from './chunks.ts'

const flatOf = (chunks: readonly Chunk[]): FlatChatMessage =>
  toChatMessage(folded([start(), startStep, ...chunks]).message!)

describe('the flat record of a call that is not valid', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['a text that cannot be read', '{"path": ', {}],
    ['an object that does not fit', { pth: 'a.md' }, { pth: 'a.md' }],
    ['a list', ['a.md'], {}],
  ])('has %s, and keeps it when it is read again', (_, input, args) => {
    const error = {
      type: 'tool-input-error',
      toolCallId: 'c1',
      toolName: 'read_file',
      input,
      errorText: 'No.',
    } as const
    const flat = flatOf([error])
    expect(flat.toolCalls).toEqual([
      { id: 'c1', name: 'read_file', args, rawArgs: input, status: 'error', error: 'No.' },
    ])
    const stored = JSON.parse(JSON.stringify(flat)) as FlatChatMessage
    expect(toChatMessage(fromChatMessage(stored)).toolCalls).toEqual(flat.toolCalls)
  })
})

describe('the flat record', () => {
  test.each<[string, Chunk[], string, string | undefined]>([
    ['input is written', [inputStart()], 'pending', undefined],
    ['the tool runs', [available()], 'running', undefined],
    ['approval is wanted', [available(), ask('a1')], 'pending', undefined],
    ['approval was given', [available(), ask('a1'), answer(true)], 'running', undefined],
    ['a preview is there', [available(), preview(1)], 'running', undefined],
    ['it is done', [available(), output(1)], 'completed', undefined],
    ['it failed', [available(), failure('broken')], 'error', 'broken'],
    ['it was denied', [available(), ask('a1'), denied('too risky')], 'error', 'too risky'],
  ])('while %s has the status %s', (_, chunks, status, error) => {
    expect(flatOf(chunks).toolCalls).toMatchObject([{ id: 'c1', name: 'search', status }])
    expect(flatOf(chunks).toolCalls![0]!.error).toBe(error)
  })

  test('trims commentary, leaves it out when empty, and joins what follows the last call after a blank line', () => {
    const flat = toChatMessage(
      messageOf([
        start(),
        startStep,
        ...text('a', ' \n Look. '),
        available(),
        output(),
        available({}, 'c2'),
        output(1, 'c2'),
        ...text('b', 'Now I wait.\n'),
        finishStep,
        startStep,
        ...text('c', 'Done.'),
        finishStep,
        finish(),
      ]),
    )
    expect(flat.toolCalls!.map(call => call.commentary)).toEqual(['Look.', 'Now I wait.'])
    expect(flat.content).toBe('Done.')
    const both = toChatMessage(
      messageOf([
        start(),
        startStep,
        ...text('a', 'Look.'),
        available(),
        output(),
        ...text('b', 'I wait.'),
        finishStep,
        finish(),
      ]),
    )
    expect(both.toolCalls![0]!.commentary).toBe('Look.\n\nI wait.')
  })

  test('does not show pending text as content, and keeps what a stop cut off', () => {
    const chunks: Chunk[] = [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Half' },
    ]
    expect(flatOf(chunks).content).toBe('')
    expect(toChatMessage(messageOf([start(), startStep, ...chunks, { type: 'abort', messageId: 'm1' }])).content).toBe(
      'Half',
    )
  })

  test('keeps commentary that no call owns in the content', () => {
    const given: Chunk[] = [
      { type: 'text-start', id: 'a', providerMetadata: { openai: { phase: 'commentary' } } },
      { type: 'text-delta', id: 'a', delta: 'I think.' },
      { type: 'text-end', id: 'a' },
    ]
    const flat = toChatMessage(
      messageOf([start(), startStep, ...given, finishStep, startStep, ...text('b', ' Done.'), finishStep, finish()]),
    )
    expect([flat.content, flat.toolCalls]).toEqual(['I think. Done.', undefined])
  })

  test('tells what is going on', () => {
    expect(flatOf([]).toolActivity).toEqual({ isActive: true })
    expect(flatOf([available()]).toolActivity).toEqual({ isActive: true, currentStep: 'search' })
    expect(flatOf([available(), output()]).toolActivity).toEqual({ isActive: true })
    expect(toChatMessage(messageOf([start(), available(), output(), finish()])).toolActivity).toEqual({
      isActive: false,
    })
  })
})

describe('stored records', () => {
  const old: FlatChatMessage = {
    id: 'm',
    role: 'assistant',
    content: 'Let me look. $& Let me read.\n\nHere: Let me look. is what I said.',
    createdAt: new Date(5),
    toolCalls: [
      { id: 'a', name: 'search', args: { q: 1 }, status: 'completed', result: 2, commentary: 'Let me look.' },
      { id: 'b', name: 'read', args: {}, status: 'completed', result: null, commentary: '$& Let me read.' },
      { id: 'c', name: 'none', args: {}, status: 'error', error: 'no' },
    ],
  }

  test('of the older kind lose the first occurrence of each commentary', () => {
    expect(getMessageText(old)).toBe('Here: Let me look. is what I said.')
  })

  test('of the newer kind keep an answer that repeats its commentary', () => {
    expect(getMessageText({ ...old, content: 'Let me look.', toolActivity: { isActive: false } })).toBe('Let me look.')
  })

  test('without calls are shown unchanged', () => {
    expect(getMessageText({ id: 'm', role: 'user', content: ' hi ', createdAt: new Date() })).toBe(' hi ')
  })

  test('without toolActivity are complete', () => {
    expect(toolActivity(old)).toEqual({ isActive: false })
  })

  test('are read and written back the same', () => {
    const flat = { ...old, content: 'Here.', toolActivity: { isActive: false } }
    expect(toChatMessage(fromChatMessage(flat))).toEqual(flat)
    const user: FlatChatMessage = {
      id: 'u',
      role: 'user',
      content: 'hi',
      createdAt: new Date(1),
      toolActivity: { isActive: false },
    }
    expect(toChatMessage(fromChatMessage(user))).toEqual(user)
  })

  test('with a call that nobody answered have it settled', () => {
    const flat: FlatChatMessage = {
      ...old,
      content: '',
      toolCalls: [{ id: 'a', name: 'x', args: {}, status: 'running' }],
    }
    expect(fromChatMessage(flat).parts).toMatchObject([{ toolInvocation: { state: 'output-error', settledBy: 'end' } }])
  })
})

describe('a record from a store', () => {
  const look = { id: 'c1', name: 'search', args: {}, status: 'completed', commentary: 'Let me look.' } as const

  test.each([
    ['without the field `toolActivity`', undefined],
    ['with it', { isActive: false }],
    ['with null in it', null],
  ])('%s gives its answer without the commentary that is in its content', (_, toolActivity) => {
    const more = { ...look, id: 'c2', commentary: 'One more.' }
    const record = {
      id: 'm1',
      role: 'assistant',
      content: 'Let me look.\n\nOne more.\n\nThere are two.',
      toolCalls: [look, more],
      createdAt: '2026-01-02T03:04:05.000Z',
      ...(toolActivity !== undefined && { toolActivity }),
    } as const
    expect(getMessageText(record)).toBe('There are two.')
    expect(
      fromChatMessage(record)
        .parts.filter(part => part.type === 'text')
        .map(part => part.text),
    ).toEqual(['Let me look.', 'One more.', 'There are two.'])
  })

  test('of this version keeps an answer that says what the commentary said', () => {
    const flat = flatOf([
      ...text('a', 'OK'),
      available(),
      output(),
      finishStep,
      startStep,
      ...text('b', 'OK then'),
      finishStep,
    ])
    expect(flat.toolCalls?.[0]?.commentary).toBe('OK')
    expect(getMessageText(flat)).toBe('OK then')
    const stored = JSON.parse(JSON.stringify({ ...flat, content: 'OKAY' })) as typeof flat
    expect(getMessageText(stored)).toBe('OKAY')
  })

  test.each([
    ['nothing at all', {}],
    [
      'null in every field',
      { id: null, role: null, content: null, toolCalls: null, createdAt: null, toolActivity: null },
    ],
    ['a time that is none', { createdAt: 'yesterday' }],
    ['calls that are none', { toolCalls: [null, 'x', 3] as never }],
  ])('with %s is read', (_, record) => {
    expect(getMessageText(record)).toBe('')
    expect(toolActivity(record)).toEqual({ isActive: false })
    const message = fromChatMessage(record)
    expect(message).toEqual({ id: 'message', role: 'assistant', status: 'sent', parts: [] })
    expect(toChatMessage(message).createdAt).toEqual(new Date(0))
  })

  test('has calls without id, name, arguments and status', () => {
    const message = fromChatMessage({
      id: 'm1',
      role: 'assistant',
      content: 'Done.',
      toolCalls: [{}, { result: 1 }, { error: 'no' }],
    })
    expect(message.parts).toMatchObject([
      {
        toolInvocation: {
          toolCallId: 'call-1',
          toolName: 'unknown',
          input: {},
          state: 'output-error',
          settledBy: 'end',
        },
      },
      { toolInvocation: { toolCallId: 'call-2', state: 'output-available', output: 1 } },
      { toolInvocation: { toolCallId: 'call-3', state: 'output-error', errorText: 'no' } },
      { text: 'Done.' },
    ])
    expect(message).not.toHaveProperty('createdAt')
  })

  test('with an id that two calls share has a key for each', () => {
    const { parts } = fromChatMessage({ id: 'm1', role: 'assistant', content: '', toolCalls: [look, look] })
    const keys = parts.flatMap(part => (part.type === 'tool' ? [part.toolInvocation.key] : []))
    expect(keys).toEqual(['c1', 'c1#2'])
  })
})
