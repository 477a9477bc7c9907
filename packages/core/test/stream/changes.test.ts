import { accumulate, type Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { Copy } from './changes.ts'
import { folder, same } from './laws.ts'

const begin: Chunk[] = [
  { type: 'start', messageId: 'm' },
  { type: 'text-start', id: 't' },
]

test('a reader hears of each thing once, in the order of the message', () => {
  const folding = folder()
  const reader = folding.reader()
  expect(reader.changes()).toEqual([])
  for (const chunk of begin) folding.push(chunk)
  folding.push({ type: 'text-delta', id: 't', delta: 'Hel' })
  expect(reader.changes()).toMatchObject([
    { type: 'message', begins: true, message: { id: 'm', status: 'streaming' } },
    { type: 'added', index: 0, part: { type: 'text', text: 'Hel', state: 'streaming' } },
  ])
  folding.push({ type: 'text-delta', id: 't', delta: 'lo ' })
  folding.push({ type: 'text-delta', id: 't', delta: 'there' })
  expect(reader.changes()).toEqual([{ type: 'appended', index: 0, text: 'lo there' }])
  expect(reader.changes()).toEqual([])
  folding.push({ type: 'text-delta', id: 't', delta: '.' })
  folding.push({ type: 'text-end', id: 't' })
  folding.push({ type: 'finish', finishReason: 'stop' })
  expect(reader.changes()).toMatchObject([
    { type: 'message', begins: false, message: { status: 'sent', finishReason: 'stop' } },
    { type: 'appended', index: 0, text: '.' },
    { type: 'changed', index: 0, part: { text: 'Hello there.', state: 'done', phase: 'final' } },
  ])
})

test('an empty delta and half a surrogate pair are no change', () => {
  const folding = folder()
  const reader = folding.reader()
  for (const chunk of begin) folding.push(chunk)
  reader.changes()
  folding.push({ type: 'text-delta', id: 't', delta: '' })
  folding.push({ type: 'text-delta', id: 't', delta: '\ud83d' })
  expect(reader.changes()).toEqual([])
  folding.push({ type: 'text-delta', id: 't', delta: '\ude00' })
  expect(reader.changes()).toEqual([{ type: 'appended', index: 0, text: '\u{1f600}' }])
})

test('a step that is taken back and made again is one removal and what is new', () => {
  const folding = folder()
  const reader = folding.reader()
  folding.push({ type: 'start', messageId: 'm' })
  folding.push({ type: 'start-step' })
  folding.push({ type: 'text-delta', id: 'a', delta: 'first try' })
  folding.push({ type: 'text-delta', id: 'b', delta: 'more' })
  reader.changes()
  for (const text of ['second', 'third']) {
    folding.push({ type: 'reset-step' })
    folding.push({ type: 'start-step' })
    folding.push({ type: 'text-start', id: 'a' })
    folding.push({ type: 'text-delta', id: 'a', delta: text })
  }
  expect(reader.changes()).toMatchObject([
    { type: 'removed', from: 1 },
    { type: 'added', index: 1, part: { text: 'third' } },
  ])
})

test('a slow reader gets the end of one message before the next one begins', () => {
  const folding = folder()
  const reader = folding.reader()
  for (const chunk of begin) folding.push(chunk)
  reader.changes()
  folding.push({ type: 'text-delta', id: 't', delta: 'said' })
  folding.push({ type: 'start', messageId: 'n' })
  folding.push({ type: 'text-delta', id: 't', delta: 'next' })
  expect(reader.changes()).toMatchObject([
    { type: 'message', begins: false, message: { id: 'm', status: 'error' } },
    { type: 'appended', index: 0, text: 'said' },
    { type: 'changed', index: 0, part: { state: 'aborted' } },
    { type: 'message', begins: true, message: { id: 'n' } },
    { type: 'added', index: 0, part: { text: 'next' } },
  ])
})

test.each([1, 3, 50, 700, 100_000])('long texts come in full when they are asked for every %i chunks', every => {
  const lengths = [1, 4095, 4096, 4097, 16, 9000, 0, 3]
  const folding = folder()
  const reader = folding.reader()
  const copy = new Copy()
  for (const chunk of begin) folding.push(chunk)
  let text = ''
  for (let count = 0; count < 2_000; count++) {
    const delta = String.fromCharCode(97 + (count % 26)).repeat(lengths[count % lengths.length]! % 4200)
    text += delta
    folding.push({ type: 'text-delta', id: 't', delta })
    if (count % every === 0) copy.apply(reader.changes())
  }
  copy.apply(reader.changes())
  same(copy.message, folding.message)
  expect(folding.message!.parts[0]).toMatchObject({ text })
})

test('the text of a part is an own property that spread, JSON and structuredClone see', () => {
  const folding = folder()
  for (const chunk of begin) folding.push(chunk)
  const long = 'word '.repeat(2_000)
  folding.push({ type: 'text-delta', id: 't', delta: long })
  folding.push({ type: 'text-delta', id: 't', delta: 'end' })
  const part = folding.message!.parts[0]!
  const text = `${long}end`
  for (const copy of [{ ...part }, JSON.parse(JSON.stringify(part)), structuredClone(part)]) {
    expect(copy).toEqual({ type: 'text', id: 't', text, state: 'streaming', phase: 'pending' })
  }
})

test('changes may be asked for while a call changes its state', () => {
  const states: unknown[] = []
  const folding = accumulate({
    onToolCall: () => {
      copy.apply(reader.changes())
      states.push(copy.message!.parts.length)
    },
  })
  const copy = new Copy()
  const reader = folding.reader()
  folding.push({ type: 'start', messageId: 'm' })
  folding.push({ type: 'tool-input-start', toolCallId: 'c', toolName: 'search' })
  folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":[1,' })
  folding.push({ type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: {} })
  folding.push({ type: 'tool-output-available', toolCallId: 'c', output: 'done' })
  copy.apply(reader.changes())
  expect(states).toEqual([1, 1, 1])
  same(copy.message, folding.message)
})

test('a string of an input that grows comes with what is new of it, and where it is', () => {
  const folding = folder()
  const reader = folding.reader()
  const push = (inputTextDelta: string): unknown => {
    folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta })
    return reader.changes().map(change => (change.type === 'changed' ? change.grown : change.type))
  }
  folding.push({ type: 'tool-input-start', toolCallId: 'c', toolName: 'edit' })
  reader.changes()
  expect(push('{"files":["a",{"path":"x","lines":["one')).toEqual([undefined])
  expect(push(' two')).toEqual([{ path: ['files', 1, 'lines', 0], text: ' two' }])
  expect(push('\\n\\ud83d')).toEqual([{ path: ['files', 1, 'lines', 0], text: '\n' }])
  expect(push('\\ude00!')).toEqual([{ path: ['files', 1, 'lines', 0], text: '\u{1f600}!' }])
  expect(push('","th')).toEqual([undefined])
  expect(push('ree')).toEqual([{ path: ['files', 1, 'lines', 1], text: 'ree' }])
  for (let length = 3; length < 10_000; length += 1000) {
    expect(push('x'.repeat(1000))).toEqual([{ path: ['files', 1, 'lines', 1], text: 'x'.repeat(1000) }])
  }
  expect(push('"]}]')).toEqual([undefined])
  folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: ',"note":"y' })
  reader.changes()
  folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'z' })
  folding.push({ type: 'tool-input-available', toolCallId: 'c', toolName: 'edit', input: {} })
  expect(reader.changes()).toEqual([{ type: 'changed', index: 0, part: folding.message?.parts[0] }])
})

test('the text of a custom call grows as a whole', () => {
  const folding = folder()
  const reader = folding.reader()
  folding.push({ type: 'tool-input-start', toolCallId: 'c', toolName: 'patch', inputEncoding: 'text' })
  folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '*** Begin' })
  reader.changes()
  folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: ' Patch' })
  expect(reader.changes()).toMatchObject([{ type: 'changed', index: 0, grown: { path: [], text: ' Patch' } }])
})
