import { type Chunk, type FlatChatMessage, fromChatMessage, getMessageText, toChatMessage, toolActivity } from 'argot'
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

  test('without calls are shown as they are', () => {
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
