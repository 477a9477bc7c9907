import { chooseModel } from '@argot/agent'
import { describeModelError } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/tool/output/redact.ts'
import { collect, during, findError } from '../collect.ts'
import { startCompatible } from '../servers/compatible.ts'
import { open, wires } from './wire.ts'

const reply = {
  reasoning: { text: 'First I look.', signature: 'c2lnbmVk' },
  text: 'Then I say more.',
  calls: [{ id: 'call_a', name: 'read_file', input: { path: 'src/a.ts' } }],
  usage: { input: 10, output: 20 },
}

describe.each(Object.entries(wires))('a reply of %s', (_, wire) => {
  test.each(['end', 'reset'] as const)(
    'that is cut anywhere by %s gives an error and no finish that says otherwise',
    async cutBy => {
      const length = await countEvents(wire)
      const cuts = Array.from({ length }, (_, cutAfter) => ({ ...reply, cutAfter, cutBy }))
      const { model, server } = await open(wire, cuts)
      for (const { cutAfter } of cuts) {
        const collected = await collect(model)
        const { code, retryable } = describeModelError(findError(collected), model, createRedactor(server.env))
        expect({ cutAfter, code, retryable }).toEqual({ cutAfter, code: 'MODEL_STREAM_BROKEN', retryable: true })
        for (const part of collected.parts) {
          if (part.type === 'finish')
            expect(part.finishReason).toEqual({ unified: expect.stringMatching(/^(?:other|error)$/), raw: undefined })
          if (part.type === 'tool-call') expect(JSON.parse(part.input)).toEqual({ path: 'src/a.ts' })
        }
      }
    },
  )

  test('that ends with an error event says so, in the words of the provider', async () => {
    const { model, server } = await open(wire, [{ ...reply, failAfter: 6 }])
    const collected = await collect(model)
    const failure = describeModelError(findError(collected), model, createRedactor(server.env))
    expect(failure.code).toMatch(/^MODEL_(?:STREAM_BROKEN|SERVER_ERROR)$/)
    expect(failure.retryable).toBe(true)
    expect(failure.message).toContain('The engine stopped.')
    expect(collected.parts.some(part => part.type === 'reasoning-delta')).toBe(true)
    expect(collected.parts.filter(part => part.type === 'error')).toHaveLength(1)
  })

  test('that fails with its first event has no parts that a person could have seen', async () => {
    const { model, server } = await open(wire, [{ ...reply, failAfter: 0 }])
    const collected = await collect(model)
    const failure = describeModelError(findError(collected), model, createRedactor(server.env))
    expect(failure).toMatchObject({ retryable: true })
    expect(collected.parts.every(part => /^(?:stream-start|error|finish)$/.test(part.type))).toBe(true)
  })

  test('that ends at the token limit is whole, and says why it ended', async () => {
    const { model } = await open(wire, [{ text: 'And so', finish: 'length' }])
    const { parts } = await collect(model)
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'length' } })
    expect(parts.some(part => part.type === 'error')).toBe(false)
  })
})

async function countEvents(wire: (typeof wires)[string]): Promise<number> {
  const { server } = await open(wire, [reply])
  const response = await fetch(server.url + wire.path, { method: 'POST' })
  return (await response.text()).split('\n\n').length - (wire.path.includes('chat') ? 3 : 1)
}

test('a call without arguments is given when the reply is whole, and not when it is cut', async () => {
  const call = { calls: [{ id: 'a', name: 'list', input: '' }] }
  const server = await during(startCompatible([call, { ...call, cutAfter: 2 }]))
  const model = await chooseModel('openai-compatible:test', { env: server.env })
  expect((await collect(model)).parts).toContainEqual(expect.objectContaining({ type: 'tool-call', input: '' }))
  const { parts } = await collect(model)
  expect(parts.some(part => part.type === 'tool-call')).toBe(false)
})
