import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { createAgent } from '@argot/agent'
import { isToolPart, type Message, userMessage } from '@argot/core'
import { isSummary } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { call, finish, text } from '../scripted-model.ts'
import { fakeTool } from './fake-tools.ts'
import { createRandom, findLoneCalls, windowModel } from './window-model.ts'

const WINDOW = 8000

const system = 'You are terse. RULE-1.'
const definition = {
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
  effect: 'read',
} as const
const picture = `data:image/png;base64,${'iVBORw0KGgo'.padEnd(400, 'A')}`

function words(random: () => number, most: number): string {
  const count = 1 + Math.floor(random() * most)
  return Array.from(
    { length: count },
    () => ['alpha', 'beta', 'Gamma_7', 'δέλτα', '漢字', '{"x":1}'][Math.floor(random() * 6)],
  ).join(' ')
}

const textOf = ({ prompt }: LanguageModelV3CallOptions) => JSON.stringify(prompt)

describe.each([
  ['native', 'known', 1, 300],
  ['xml', 'known', 1, 40],
  ['native', 'known', 1.6, 40],
  ['native', 'unknown', 1, 40],
] as const)('in %s, with a window that is %s and a tokenizer of %d', (syntax, knowledge, rate, turns) => {
  test(`over ${turns} turns every prompt fits, no call is without its result, and nothing is lost`, {
    timeout: 60_000,
  }, async () => {
    const random = createRandom(7)
    let id = 0
    const makeCall = () => ({ toolCallId: `x${++id}`, toolName: 'look', input: { at: words(random, 10) } })
    const model = windowModel({
      window: WINDOW,
      rate,
      summary: () => `Summary of it. ${words(random, 60)}`,
      reply: (_, tokens) => {
        if (random() < 0.4) return [...text(words(random, 60)), finish('stop', tokens)]
        const calls = Array.from({ length: syntax === 'xml' ? 1 : 1 + Math.floor(random() * 3) }, makeCall)
        if (syntax === 'xml') {
          const written = calls.map(one => syntaxes.get('xml').format(one, definition)).join('\n')
          return [...text(`I look.\n\n${written}`), finish('stop', tokens)]
        }
        const parts = calls.flatMap(one => call(one.toolCallId, one.toolName, one.input))
        return [...text(words(random, 10)), ...parts, finish('tool-calls', tokens)]
      },
    })
    const tool = fakeTool('look', 'read', () => words(random, 200))
    const context = knowledge === 'known' ? WINDOW : undefined
    const agent = createAgent({
      model,
      tools: [tool],
      syntax,
      system,
      env: {},
      maxSteps: 100,
      ...(context && { context }),
    })
    const messages: Message[] = []
    for (let turn = 1; turn <= turns; turn++) {
      const said = userMessage(`TASK-${turn}: ${words(random, 80)}`)
      if (turn % 50 === 0) (said.parts as unknown[]).push({ type: 'file', mediaType: 'image/png', url: picture })
      messages.push({ ...said, id: `u${turn}` })
      const before = model.replies.length
      const refused = model.refused.length
      const kept = messages.length
      const result = await agent.run(messages).result
      expect(result.status === 'failed' ? result.error : result.status).toBe('done')
      messages.push(result.message!)
      // The history that was given is not touched.
      expect(messages).toHaveLength(kept + 1)
      expect(Math.max(...model.sizes.slice(before))).toBeLessThanOrEqual(WINDOW)
      for (const asked of model.replies.slice(before)) {
        expect(findLoneCalls(asked.prompt)).toEqual([])
        expect(textOf(asked)).toContain('RULE-1')
        expect(textOf(asked)).toContain(`TASK-${turn}:`)
      }
      // Only a limit that nobody knows, or another tokenizer at the start of a run, is found by asking too much.
      if (rate === 1 && knowledge === 'known') expect(model.refused).toHaveLength(0)
      else expect(model.refused.length - refused).toBeLessThanOrEqual(2)
    }
    const parts = messages.flatMap(message => message.parts)
    expect(parts.filter(isSummary).length).toBeGreaterThan(turns / 30)
    expect(model.summaries.length).toBeGreaterThanOrEqual(parts.filter(isSummary).length)
    expect(parts.filter(isToolPart).length).toBe(id)
    // A summary is rare: it buys half of the window.
    expect(model.summaries.length).toBeLessThan(model.replies.length / 4)
  })
})

test('a conversation that fits is sent byte for byte as without compaction', async () => {
  const asked = async (more: object): Promise<unknown[]> => {
    const random = createRandom(3)
    let id = 0
    const model = windowModel({
      window: 1e9,
      reply: ({ prompt }) =>
        prompt.length % 3 === 0
          ? 'Done.'
          : [...text('I look.'), ...call(`y${++id}`, 'look', { at: 'a' }), finish('tool-calls')],
    })
    const agent = createAgent({
      model,
      tools: [fakeTool('look', 'read', () => words(random, 50))],
      env: {},
      system,
      ...more,
    })
    const messages: Message[] = []
    for (let turn = 0; turn < 8; turn++) {
      messages.push({ ...userMessage(`Turn ${turn}`), id: `u${turn}` })
      messages.push((await agent.run(messages).result).message!)
    }
    return model.replies
  }
  const plain = await asked({ compact: 'never' })
  expect(JSON.stringify(await asked({ context: 100_000 }))).toBe(JSON.stringify(plain))
  expect(JSON.stringify(await asked({ compact: 50_000 }))).toBe(JSON.stringify(plain))
  expect(JSON.stringify(await asked({}))).toBe(JSON.stringify(plain))
})
