import type { ToolState } from '@argot/core'
import { waitsFor } from '@argot/core/stream'
import { questionTool, toolStates } from '@argot/core/stream/internal'
import { expect, test } from 'vitest'

const states = [...toolStates] as ToolState[]

test.each(states)('a call in the state %s', state => {
  const isAsked = state === 'approval-requested'
  expect(waitsFor({ toolName: 'write_file', state })).toBe(isAsked ? 'approval' : undefined)
  const answer = state === 'input-available' ? 'answer' : undefined
  expect(waitsFor({ toolName: questionTool, state })).toBe(isAsked ? 'approval' : answer)
})

test.each(['ASK_USER', 'ask_user ', 'ask-user', '__proto__', ''])('the tool %j asks no question', toolName => {
  expect(waitsFor({ toolName, state: 'input-available' })).toBe(undefined)
})
