import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { compareDialects } from '../../src/reading/compare-dialects.ts'
import { convertReply, estimateCosts } from '../../src/reading/convert-reply.ts'
import { finish, readReply } from '../../src/reading/read-reply.ts'
import { sampleReplies } from '../../src/state/samples.ts'
import { tools } from '../tools.ts'

const requestFor = (text: string) => ({ text, syntax: 'auto', tools })

test('every sample reads back as the same calls from every syntax', () => {
  const wrong: string[] = []
  for (const { name, text } of sampleReplies) {
    const reading = finish(readReply(requestFor(text)))
    for (const syntax of syntaxes.names()) {
      if (syntax === 'auto') continue
      const { isSame, problem } = finish(convertReply(reading, requestFor(text), syntax))
      if (isSame === false || problem !== undefined) wrong.push(`${name} as ${syntax}: ${problem ?? 'other calls'}`)
    }
  }
  expect(wrong).toEqual([])
})

test('text and reasoning stay, template tokens go, and a call that failed stays as written', () => {
  const text = `<think>Why not.</think>Look.<|im_end|>

<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>
<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>`
  const request = { ...requestFor(text), syntax: 'hermes' }
  const { text: converted } = finish(convertReply(finish(readReply(request)), request, 'caret'))
  expect(converted).toBe(`<think>
Why not.
</think>

Look.

^^^get_weather
city: Oslo
^^^

<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>`)
})

test('a syntax that cannot write a call says why', () => {
  const text = '<tool_call>{"name": "get_weather", "arguments": {"a b\\n": 1}}</tool_call>'
  const request = { text, syntax: 'hermes', tools: [] }
  const reading = finish(readReply(request))
  const costs = finish(estimateCosts(reading.calls, request))
  const unable = costs.filter(({ problem }) => problem !== undefined)
  expect(unable.length).toBeGreaterThan(0)
  expect(unable.every(({ problem, tokens }) => problem !== '' && tokens === undefined)).toBe(true)
  expect(finish(convertReply(reading, request, unable[0]!.syntax)).problem).toBe(unable[0]!.problem)
})

test('costs are sorted, and the shortest syntax takes fewer tokens than JSON', () => {
  const request = requestFor(sampleReplies[0]!.text)
  const costs = finish(estimateCosts(finish(readReply(request)).calls, request))
  const tokens = costs.map(cost => cost.tokens ?? Number.POSITIVE_INFINITY)
  expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
  const costOf = (name: string): number => costs.find(({ syntax }) => syntax === name)?.tokens ?? 0
  expect(costOf('caret')).toBeLessThan(costOf('native'))
})

test('the comparison tells syntaxes that read the same from those that read something else or nothing', () => {
  const request = requestFor('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>')
  const reading = finish(readReply(request))
  const results = new Map(finish(compareDialects(request, reading.calls)).map(each => [each.syntax, each.result]))
  expect([results.get('hermes'), results.get('mistral'), results.get('caret')]).toEqual(['same', 'none', 'none'])
  const failing = requestFor('<function=write_file><parameter=path>a</parameter></function>')
  const others = finish(compareDialects(failing, [])).filter(({ result }) => result === 'other')
  expect(others.length).toBeGreaterThan(0)
})
