import { checkChatMd } from '@argot/core/chatmd'
import { expect, test } from 'vitest'

const codes = (source: string): string[] => checkChatMd(source).map(({ code }) => code)

test('a call without an id is told once, not also that it has no response', () => {
  expect(codes('<tool_call function_name="a">{}</tool_call>\n')).toEqual(['CHATMD_MISSING_CALL_ID'])
})

test('a call with an id and no response is told', () => {
  expect(codes('<tool_call function_name="a" tool_call_id="c">{}</tool_call>\n')).toEqual([
    'CHATMD_CALL_WITHOUT_RESPONSE',
  ])
})
