import { accumulate, type Chunk, toolCalls } from '@argot/core'
import { OpenParts, settlementTexts } from '@argot/core/stream/internal'
import { expect, test } from 'vitest'

const begun: Chunk[] = [
  { type: 'start', messageId: 'm' },
  { type: 'start-step' },
  { type: 'tool-input-available', toolCallId: 'c', toolName: 'look', input: {} },
]

test('a call that was stopped says the same, whether its run settles it or its reader', () => {
  const open = new OpenParts()
  for (const chunk of begun) open.watch(chunk)
  const settled = open.end({ type: 'abort' }).find(({ type }) => type === 'tool-output-error')
  expect(settled).toMatchObject({ errorText: settlementTexts.abort })

  const fold = accumulate()
  for (const chunk of begun) fold.push(chunk)
  fold.push({ type: 'abort' })
  expect(toolCalls(fold.message!)[0]!.errorText).toBe(settlementTexts.abort)
})
