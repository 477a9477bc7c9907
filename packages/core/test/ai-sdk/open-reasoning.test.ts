import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { Chunk, ToolDefinition } from '@argot/core'
import { ReplyReader } from '@argot/core/ai-sdk'
import type { ReplyReaderOptions } from '@argot/core/ai-sdk/internal'
import { argotMetadata } from '@argot/core/stream'
import { auto, hermes, native, type Syntax } from '@argot/core/syntax'
import { joinDeltas } from '@argot/core/testing'
import { describe, expect, test } from 'vitest'
import { summary } from '../syntax/summary.ts'

const tools: ToolDefinition[] = [{ name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }]
const call = '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}\n</tool_call>'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const finish = (unified: 'stop' | 'length' = 'stop'): LanguageModelV3StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage,
})

function prose(type: 'text' | 'reasoning', id: string, deltas: readonly string[]): LanguageModelV3StreamPart[] {
  return [
    { type: `${type}-start`, id },
    ...deltas.map(delta => ({ type: `${type}-delta` as const, id, delta })),
    { type: `${type}-end`, id },
  ]
}

const reasoning = (...deltas: string[]) => prose('reasoning', 'r', deltas)
const text = (...deltas: string[]) => prose('text', 't', deltas)

function read(parts: readonly LanguageModelV3StreamPart[], options: Partial<ReplyReaderOptions> = {}) {
  const reader = new ReplyReader({ syntax: hermes, tools, step: 0, ...options })
  const chunks = parts.flatMap(part => reader.push(part))
  return { reader, chunks: [...chunks, ...reader.end()] }
}

const calls = (chunks: readonly Chunk[]) => chunks.filter(({ type }) => type === 'tool-input-available')

describe('reasoning that a provider sends as parts', () => {
  test('gives the calls that the reply ends with, after the reasoning, at every cut', () => {
    const source = `I need it.\n${call}\n`
    const whole = read([...reasoning(source), finish()]).chunks
    expect(joinDeltas(whole).map(({ type }) => type)).toEqual([
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-available',
      'text-start',
      'text-delta',
      'text-end',
    ])
    expect(summary(whole)).toEqual(['reasoning "I need it.\\n"', 'f {"a":"x"}', 'text "\\n"'])
    expect(argotMetadata(calls(whole)[0]!)).toEqual({ inReasoning: true })
    for (let at = 1; at < source.length; at++) {
      const cut = read([...reasoning(source.slice(0, at), source.slice(at)), finish()]).chunks
      expect(joinDeltas(cut)).toEqual(joinDeltas(whole))
    }
  })

  const stays: [string, LanguageModelV3StreamPart[]][] = [
    ['text follows', [...reasoning(call), ...text('Done.')]],
    ['text follows after a blank', [...reasoning(call), ...text('\n', ' ', 'Done.')]],
    ['text came before', [...text('First.'), ...reasoning(call)]],
    ['more reasoning follows', [...reasoning(call), ...prose('reasoning', 'r2', ['no'])]],
    ['its id is used again', [...reasoning(call), ...reasoning('no')]],
    ['it continues after its end', [...reasoning(call), { type: 'reasoning-delta', id: 'r', delta: 'no' }]],
    ['a file follows', [...reasoning(call), { type: 'file', mediaType: 'text/plain', data: 'eA==' }]],
    ['a native call follows', [...reasoning(call), { type: 'tool-call', toolCallId: 'n', toolName: 'g', input: '{}' }]],
    [
      'it is signed at its end',
      [
        ...reasoning(call).slice(0, -1),
        { type: 'reasoning-end', id: 'r', providerMetadata: { a: { signature: 's' } } },
      ],
    ],
    [
      'it is signed by a delta',
      [
        ...reasoning(call).slice(0, -1),
        { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: { a: { signature: 's' } } },
        { type: 'reasoning-end', id: 'r' },
      ],
    ],
  ]

  test.each(stays)('stays reasoning if %s', (_, parts) => {
    const { chunks } = read([...parts, finish()])
    expect(calls(chunks).filter(chunk => 'toolName' in chunk && chunk.toolName === 'f')).toEqual([])
    const delta = joinDeltas(chunks).find(({ type }) => type === 'reasoning-delta')
    expect(delta).toMatchObject({ delta: call })
    const ends = chunks.filter(({ type }) => type === 'reasoning-end')
    const starts = chunks.filter(({ type }) => type === 'reasoning-start')
    expect(ends).toHaveLength(starts.length)
  })

  test('that holds nothing passes as it is', () => {
    const { chunks } = read([...reasoning('a < b', ' and c'), ...text('Yes.'), finish()])
    expect(summary(chunks)).toEqual(['reasoning "a < b and c"', 'text "Yes."'])
    expect(chunks.filter(({ type }) => type === 'reasoning-delta')).toHaveLength(2)
  })

  test('is followed by blank text and counts as the end all the same', () => {
    const { chunks } = read([...reasoning(`hm ${call}`), ...text('\n\n'), finish()])
    expect(summary(chunks)).toEqual(['reasoning "hm "', 'text "\\n\\n"', 'f {"a":"x"}'])
  })

  test('is read with native calls only if leaked calls are looked for', () => {
    const parts = [...reasoning(call), finish()]
    const salvaging = read(parts, { syntax: native, salvage: auto })
    expect(summary(salvaging.chunks)).toEqual(['f {"a":"x"}'])
    expect(salvaging.reader.salvaged).toBe(1)
    expect(calls(read(parts, { syntax: native }).chunks)).toEqual([])
  })

  test('is only reasoning with `reasoningCalls: text`, in text too', () => {
    expect(calls(read([...reasoning(call), finish()], { reasoningCalls: 'text' }).chunks)).toEqual([])
    expect(calls(read([...text(`<think>${call}`), finish()], { reasoningCalls: 'text' }).chunks)).toEqual([])
    expect(calls(read([...text(`<think>${call}`), finish()]).chunks)).toHaveLength(1)
  })

  test('gives no call that may be cut', () => {
    expect(calls(read([...reasoning(call), finish('length')]).chunks)).toEqual([])
    expect(calls(read(reasoning(call)).chunks)).toEqual([])
  })

  test('says what looked like a call in it, if nothing else came', () => {
    const { reader } = read([...reasoning(`${call} or not`), finish()])
    expect(reader.diagnostics).toMatchObject([{ code: 'SYNTAX_EXAMPLE', toolName: 'f' }])
  })

  test('is never read as text by a parser that does not know such reasoning', () => {
    const plain: Syntax = { ...hermes, parser: ({ startsIn: _, ...options } = {}) => hermes.parser(options) }
    const { chunks } = read([...reasoning(call), finish()], { syntax: plain })
    expect(summary(chunks)).toEqual([`reasoning ${JSON.stringify(call)}`])
  })
})
