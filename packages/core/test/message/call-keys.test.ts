import { accumulate, fromChatMessage, type Message, toolCalls } from '@argot/core'
import { fromUIMessage } from '@argot/core/ai-sdk'
import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import { CallKeys, UniqueIds } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** Ids as models use them: again, and with marks that look like ours. */
const ids = fc.array(fc.constantFrom('a', 'b', 'a#2', 'a#3', 'a#2#2', 'a-2', 'a-2-2'), { minLength: 1, maxLength: 8 })

/** None of these documents names a file. */
const noFiles: Resolver = { resolve: () => Promise.reject(new Error('nothing is read')) }

const keysOf = (message: Message): string[] => toolCalls(message).map(call => call.key)

/** The keys that a live stream gives. */
function folded(toolCallIds: readonly string[]): string[] {
  const fold = accumulate()
  fold.push({ type: 'start', messageId: 'm' })
  for (const toolCallId of toolCallIds) fold.push({ type: 'tool-input-start', toolCallId, toolName: 't' })
  return keysOf(fold.message!)
}

const readers: [string, (ids: readonly string[]) => string[] | Promise<string[]>][] = [
  ['a stored record', used => keysOf(fromChatMessage({ toolCalls: used.map(id => ({ id, name: 't', args: {} })) }))],
  [
    'a message of the AI SDK',
    used => {
      const parts = used.map(toolCallId => ({ type: 'tool-t', toolCallId, state: 'input-available', input: {} }))
      return keysOf(fromUIMessage({ id: 'm', role: 'assistant', parts }))
    },
  ],
  [
    'a document',
    async used => {
      const calls = used.map(id => `<tool_call function_name="t" tool_call_id="${id}">{}</tool_call>\n`)
      const { messages } = await expand(parseChatMd(calls.join('')).document, { resolver: noFiles })
      return keysOf(messages[0]!.message)
    },
  ],
  [
    'a state that was saved after each call',
    used => {
      let fold = accumulate()
      fold.push({ type: 'start', messageId: 'm' })
      for (const toolCallId of used) {
        fold.push({ type: 'tool-input-start', toolCallId, toolName: 't' })
        fold = accumulate({ state: JSON.parse(JSON.stringify(fold)) })
      }
      return keysOf(fold.message!)
    },
  ],
]

test.each(readers)('%s gives its calls the keys that the live stream gave them, each once', async (_, read) => {
  await fc.assert(
    fc.asyncProperty(ids, async used => {
      const keys = await read(used)
      expect(keys).toEqual(folded(used))
      expect(new Set(keys).size).toBe(used.length)
    }),
    { seed: 1 },
  )
})

test('a call that is taken back and made again gets the same key', () => {
  const keys = new CallKeys()
  expect(['a', 'a'].map(id => keys.take(id))).toEqual(['a', 'a#2'])
  keys.giveBack('a', 'a#2')
  expect(keys.take('a')).toBe('a#2')
})

test('an id that is sent is made unique with letters that every provider takes', () => {
  fc.assert(
    fc.property(ids, used => {
      const unique = new UniqueIds()
      const given = used.map(id => {
        const free = unique.free(id)
        unique.add(free)
        return free
      })
      expect(new Set(given).size).toBe(used.length)
      for (const [index, id] of given.entries()) expect(id.slice(used[index]!.length)).toMatch(/^(?:-[0-9]+)?$/)
    }),
    { seed: 1 },
  )
})
