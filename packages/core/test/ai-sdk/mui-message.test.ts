import { fromUIMessage, toolCalls, type UIMessage } from '@argot/core'
import { describe, expect, test } from 'vitest'

const signature = 'A'.repeat(43)
const asked = { toolCallId: 'c1', toolName: 'search', state: 'approval-responded', input: { q: 'cats' } }

function callOf(part: Record<string, unknown>): unknown {
  const message = fromUIMessage({ id: 'm', role: 'assistant', parts: [part as UIMessage['parts'][number]] })
  return toolCalls(message)[0]
}

describe('a message of MUI X Chat', () => {
  test('has its answer beside the id of the question, and the signature in that id', () => {
    const toolInvocation = { ...asked, approvalId: `a1~${signature}`, approval: { approved: false, reason: 'no' } }
    expect(callOf({ type: 'tool', toolInvocation })).toEqual({
      ...{ key: 'c1', toolCallId: 'c1', toolName: 'search', state: 'approval-responded', input: { q: 'cats' } },
      approval: { id: 'a1', approved: false, reason: 'no', signature },
    })
  })

  test('asks under the id of the call where the question has none', () => {
    expect(callOf({ type: 'dynamic-tool', toolInvocation: { ...asked, approval: { approved: true } } })).toMatchObject({
      approval: { id: 'c1', approved: true },
    })
    expect(callOf({ type: 'tool', toolInvocation: { ...asked, approvalId: 'a1~short' } })).toMatchObject({
      state: 'approval-requested',
      approval: { id: 'a1~short' },
    })
  })

  test('of ours that came over the network is read as it was', () => {
    const approval = { id: 'a1', approved: true, signature }
    const toolInvocation = { ...asked, key: 'c1', approval }
    expect(callOf({ type: 'tool', toolInvocation })).toEqual(toolInvocation)
  })

  test.each([
    ['no call', { type: 'tool' }],
    ['null for a call', { type: 'tool', toolInvocation: null }],
    ['a text for a call', { type: 'dynamic-tool', toolInvocation: 'x' }],
    ['an empty call', { type: 'tool', toolInvocation: {} }],
    [
      'a call of other types',
      { type: 'tool', toolInvocation: { toolCallId: 1, toolName: {}, state: 7, approvalId: [] } },
    ],
  ])('with %s has a call that nobody can take for one', (_, part) => {
    expect(callOf(part)).toMatchObject({
      toolName: 'unknown',
      state: 'input-available',
      toolCallId: expect.any(String),
    })
  })
})

test.each([{}, { url: 5, mediaType: 'image/png' }, { url: 'data:,x' }])(
  'a file that is none (%j) is left out',
  fields => {
    const parts = [
      { type: 'file', ...fields },
      { type: 'text', text: 'Hi' },
    ]
    expect(fromUIMessage({ id: 'm', role: 'user', parts }).parts).toMatchObject([{ type: 'text', text: 'Hi' }])
  },
)
