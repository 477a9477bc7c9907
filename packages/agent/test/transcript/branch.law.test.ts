import { readFileSync } from 'node:fs'
import { branchDocument, createResolver } from '@argot/agent/workshop'
import type { Message } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeDocument } from './runs.ts'

const attribute = (name: string, values: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(''),
    fc.constantFrom(...values).map(value => ` ${name}="${value}"`),
  )

/** What an element of an assistant may say of its message. */
const ofMessage = fc
  .tuple(attribute('message', ['m1', 'm2', 'chatmd-1']), attribute('offset', ['1', '27']), fc.constantFrom('', ' step'))
  .map(all => all.join(''))

const callId = fc.constantFrom('a', 'b')
const key = attribute('key', ['a#2', 'b#2'])

const element: fc.Arbitrary<string> = fc.oneof(
  attribute('id', ['u1', 'm1']).map(id => `<user${id}>\nq\n</user>`),
  fc.constant('<developer>\nd\n</developer>'),
  ofMessage.map(given => `<assistant${given}>\ntext\n</assistant>`),
  fc
    .tuple(ofMessage, fc.constantFrom('step-start', 'end', 'data-x', 'other'))
    .map(([given, part]) => `<assistant${given} part="${part}">{"data":1}</assistant>`),
  ofMessage.map(given => `<reasoning id="r"${given}>\nhm\n</reasoning>`),
  fc
    .tuple(ofMessage, callId, key, attribute('state', ['again']))
    .map(
      ([given, id, one, state]) =>
        `<tool_call function_name="t" tool_call_id="${id}"${one}${state}${given}>{}</tool_call>`,
    ),
  fc.tuple(callId, key).map(([id, one]) => `<tool_response tool_call_id="${id}"${one}>x</tool_response>`),
  fc.constant('<config model="demo"/>'),
  fc.constant('<!-- a note -->'),
)

async function read(source: string): Promise<Message[]> {
  const { messages } = await expand(parseChatMd(source).document, { resolver: createResolver({ cwd: '.' }) })
  return messages.map(({ message }) => message)
}

test('a branch at any message of any document has the messages up to it, as reading the document gives them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 10 }), async elements => {
      const source = `${elements.join('\n')}\n`
      const messages = await read(source)
      const file = await makeDocument(source)
      for (const [index, { id }] of messages.entries()) {
        // Where two messages have one id, it names the first.
        if (messages.findIndex(one => one.id === id) !== index) continue
        const [before, including] = [
          await branchDocument(file, id),
          await branchDocument(file, id, { including: true }),
        ]
        expect(await read(readFileSync(before, 'utf8'))).toEqual(messages.slice(0, index))
        expect(await read(readFileSync(including, 'utf8'))).toEqual(messages.slice(0, index + 1))
      }
    }),
    { seed: 1, numRuns: Number(process.env.FUZZ ?? 1) * (process.env.LAWS === 'full' ? 1000 : 100) },
  )
}, 600_000)
