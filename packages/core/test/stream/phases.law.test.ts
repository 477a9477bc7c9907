import { accumulate, type Chunk, fromUIMessage, isToolPart, type Message, toUIMessage } from '@argot/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'

const piece = fc.constantFrom('text', 'call', 'own call', 'reasoning')
const steps = fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })

/** A run of these steps, with the chunks that mark them or without. */
function runOf(list: readonly (readonly string[])[], hasSteps: boolean): Chunk[] {
  let next = 0
  const body = list.flatMap((pieces): Chunk[] => {
    const inside = pieces.flatMap(kind => chunksOf(kind, String(next++)))
    return hasSteps ? [{ type: 'start-step' }, ...inside, { type: 'finish-step' }] : inside
  })
  return [{ type: 'start', messageId: 'a' }, ...body, { type: 'finish' }]
}

function chunksOf(kind: string, id: string): Chunk[] {
  if (kind === 'text' || kind === 'reasoning') {
    return [
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: `Words ${id}.` },
      { type: `${kind}-end`, id },
    ]
  }
  const own = kind === 'own call' ? { providerExecuted: true } : {}
  return [
    { type: 'tool-input-available', toolCallId: `c${id}`, toolName: 'read', input: {}, ...own },
    { type: 'tool-output-available', toolCallId: `c${id}`, output: 1, ...own },
  ]
}

/** The message as other libraries keep it: nothing of ours in it. */
function kept(message: Message): Parameters<typeof fromUIMessage>[0] {
  const ui = toUIMessage(message)
  return { ...ui, parts: ui.parts.map(({ providerMetadata: _, ...part }) => ({ ...part })) as typeof ui.parts }
}

const phases = (message: Message): string[] =>
  message.parts.flatMap(part =>
    part.type === 'text' ? [`${part.text} ${part.phase} ${part.toolCallId ?? ''}`] : isToolPart(part) ? ['call'] : [],
  )

test('law: a kept message has the phases that it had live, with steps and without', () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (list, hasSteps) => {
      const fold = accumulate()
      for (const chunk of runOf(list, hasSteps)) fold.push(chunk)
      const live = fold.message!
      expect(phases(fromUIMessage(kept(live)))).toEqual(phases(live))
    }),
    { numRuns: shareOf(1500), seed: 1 },
  )
})

test('without step-start parts, the text after the last call is the answer, and each text before a call leads to it', () => {
  const tool = (toolCallId: string) => ({
    type: 'tool-read',
    toolCallId,
    state: 'output-available',
    input: {},
    output: 1,
  })
  const text = (words: string) => ({ type: 'text', text: words, state: 'done' })
  const message = fromUIMessage({
    id: 'a',
    role: 'assistant',
    parts: [text('Let me look.'), tool('c1'), text('And there.'), tool('c2'), text('It is'), text('here.')],
  })
  expect(phases(message)).toEqual([
    'Let me look. commentary c1',
    'call',
    'And there. commentary c2',
    'call',
    'It is final ',
    'here. final ',
  ])
})
