import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  safeValidateUIMessages,
  type UIMessage,
} from 'ai'
import { expect, onTestFinished } from 'vitest'
import { listen } from '../../src/index.ts'
import type { ServedFolder } from '../served-folder.ts'

/** The chat of the AI SDK, as a page has it, on a connection of its own. */
export interface StockChat {
  chat: Chat<UIMessage>
  /** Resolves once the chat is ready and these words are in its last message. */
  says(text: string): Promise<void>
  /** Throws if the messages were not valid at any moment so far. */
  validate(): Promise<void>
  calls(): readonly StockCall[]
}

export interface StockCall {
  toolCallId: string
  state: string
  input?: unknown
  output?: unknown
  errorText?: string
  approval?: { id: string; approved?: boolean; reason?: string }
}

/** Listens for real, on any port. Ends with the test. */
export async function listenAt({ server }: Pick<ServedFolder, 'server'>): Promise<{ url: string }> {
  const { port, close } = await listen(server, { port: 0 })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}` }
}

/** The messages of a chat, as a page loads them before it resumes. */
export async function history(url: string, path: string): Promise<UIMessage[]> {
  const response = await fetch(`${url}/api/documents/${path}/messages?format=ui`)
  return ((await response.json()) as { messages: UIMessage[] }).messages
}

export function stockChat(
  url: string,
  id: string,
  messages: UIMessage[] = [],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): StockChat {
  const seen: UIMessage[][] = []
  const chat = new Chat<UIMessage>({
    id,
    messages,
    transport: new DefaultChatTransport({ api: `${url}/api/chat`, fetch }),
    sendAutomaticallyWhen: options =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
  })
  const keep = (): void => {
    seen.push(structuredClone(chat.messages))
  }
  chat['~registerMessagesCallback'](keep)
  if (messages.length > 0) keep()
  return {
    chat,
    async says(text) {
      await expect
        .poll(
          () => (chat.error === undefined ? `${chat.status} ${textOf(chat.messages.at(-1))}` : chat.error.message),
          {
            timeout: 20_000,
          },
        )
        .toContain(text)
      await expect.poll(() => chat.status).toBe('ready')
    },
    async validate() {
      for (const one of seen) {
        const result = await safeValidateUIMessages({ messages: one })
        if (!result.success) throw new Error(`${result.error.message}\n${JSON.stringify(one)}`)
        const ids = one.map(message => message.id)
        expect(new Set(ids).size, 'ids of messages').toBe(ids.length)
        const calls = one.flatMap(callsOf).map(call => call.toolCallId)
        expect(new Set(calls).size, `calls ${calls.join(' ')}`).toBe(calls.length)
      }
    },
    calls: () => chat.messages.flatMap(callsOf),
  }
}

export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('|')
}

export function callsOf(message: UIMessage): StockCall[] {
  return message.parts.flatMap(part => ('toolCallId' in part ? [part as unknown as StockCall] : []))
}

/** What a person sees of messages: not their ids, nor what rides along. */
export function shown(messages: readonly UIMessage[]): unknown {
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts
      .filter(({ type }) => type !== 'step-start')
      .map(part => {
        const { type, text, toolCallId, state, input, output, errorText } = part as Record<string, unknown>
        return { type, text, toolCallId, state: type === 'text' ? undefined : state, input, output, errorText }
      }),
  }))
}
