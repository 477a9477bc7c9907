import { expect, test } from 'vitest'
import { finish, readReply } from '../../src/reading/read-reply.ts'
import { partialInput, viewAt } from '../../src/reading/view-at.ts'
import { sampleReplies } from '../../src/state/samples.ts'
import { tools } from '../tools.ts'

test('at every character of every sample the view covers what has arrived, and decides no more than that', () => {
  for (const { name, text } of sampleReplies) {
    const reading = finish(readReply({ text, syntax: 'auto', tools }))
    let decided = 0
    for (let cut = 0; cut <= text.length; cut++) {
      const view = viewAt(reading, cut)
      expect(view.segments.map(({ start, end }) => text.slice(start, end)).join(''), `${name} at ${cut}`).toBe(
        text.slice(0, cut),
      )
      expect(view.decided).toBeGreaterThanOrEqual(decided)
      expect(view.decided).toBeLessThanOrEqual(cut)
      decided = view.decided
    }
  }
})

test('a call is held back, then being written with the input so far, then complete', () => {
  const text = 'Hi.\n\n<tool_call>{"name": "get_weather", "arguments": {"city": "Lisbon", "days": 3}}</tool_call> Ok.'
  const reading = finish(readReply({ text, syntax: 'auto', tools }))
  const [call] = reading.calls
  const kindAt = (end: string): string | undefined =>
    viewAt(reading, text.indexOf(end) + end.length).segments.at(-1)?.kind
  expect(kindAt('Hi.')).toBe('text')
  expect(kindAt('<tool_')).toBe('held')
  expect(kindAt('"Lis')).toBe('writing')
  expect(partialInput(reading, call!, text.indexOf('bon'))).toEqual({ city: 'Lis' })
  expect(kindAt('</tool_call>')).toBe('call')
  expect(kindAt('Ok')).toBe('text')
})

test('a reply has ended only at its whole length', () => {
  const { text } = sampleReplies.at(-1)!
  const reading = finish(readReply({ text, syntax: 'auto', tools }))
  expect(viewAt(reading, text.length - 1).isEnded).toBe(false)
  expect(viewAt(reading, text.length).isEnded).toBe(true)
  expect(reading.calls[0]?.failure?.code).toBe('SYNTAX_UNCLOSED_VALUE')
})
