import {
  fromChatMessage,
  fromUIMessage,
  getMessageText,
  isToolPart,
  type Message,
  type MessagePart,
  toChatMessage,
  toUIMessage,
} from '@argot/core'
import { expect, test } from 'vitest'
import { anyScript } from './arbitrary.ts'
import { check, fold, same } from './laws.ts'

/** The message without what the AI SDK's shape has no place for. */
function sayable(message: Message): unknown {
  return { id: message.id, role: message.role, metadata: message.metadata, parts: message.parts.map(sayablePart) }
}

function sayablePart(part: MessagePart): unknown {
  if (part.type === 'text') {
    const { id: _, providerMetadata: __, ...rest } = part
    return rest
  }
  if (!isToolPart(part)) return part
  const {
    startedAt: _,
    endedAt: __,
    callProviderMetadata: ___,
    resultProviderMetadata: ____,
    ...call
  } = part.toolInvocation
  if (call.state === 'output-error') {
    delete call.output
    delete call.preliminary
    if (part.type === 'dynamic-tool' && call.input === undefined) moveRawInput(call)
  }
  return { ...part, toolInvocation: call }
}

/** For a dynamic call that could not be read the AI SDK has one field only. */
function moveRawInput(call: { input?: unknown; rawInput?: unknown }): void {
  if (call.rawInput !== undefined) call.input = call.rawInput
  delete call.rawInput
}

test('a message goes to the shape of the AI SDK and back, and that shape stays as it was', () => {
  check(anyScript(), ({ chunks }) => {
    for (const message of fold(chunks)) {
      const ui = toUIMessage(message)
      const back = fromUIMessage(ui)
      same(sayable(back), sayable(message))
      same(toUIMessage(back), ui)
    }
  })
})

test('a flat record survives being read and written again', () => {
  check(anyScript(), ({ chunks }) => {
    for (const message of fold(chunks)) {
      const flat = toChatMessage(message)
      if (flat.toolCalls?.some(call => call.status === 'pending' || call.status === 'running')) continue
      same(toChatMessage(fromChatMessage(flat)), flat)
    }
  })
})

test('a flat record has every word of the message, as answer or as commentary', () => {
  check(anyScript({ remainders: false, givenPhases: false }), ({ chunks, text }) => {
    for (const message of fold(chunks)) {
      const flat = toChatMessage(message)
      const words = [flat.content, ...(flat.toolCalls ?? []).map(call => call.commentary ?? '')].join(' ')
      const bare = (value: string): string[] => [...value.toWellFormed().replace(/\s/g, '')].sort()
      same(bare(words), bare(text))
      expect(getMessageText(flat)).toBe(getMessageText(message))
    }
  })
})
