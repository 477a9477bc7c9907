import { functionAdapter } from '@argot/react'
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { asks, call, put } from '../box/mount.tsx'
import App from './chat-in-ten-lines.tsx'
import { Chat as AiSdkChat } from './drop-in-ai-sdk.tsx'
import { Chat as MuiChat } from './drop-in-mui.tsx'

const approve = (host: HTMLElement): HTMLElement | undefined =>
  [...host.querySelectorAll('button')].find(one => one.textContent === 'Approve')

test('a tool card in an app on the AI SDK, as the page has it', async () => {
  const transport: ChatTransport<UIMessage> = {
    sendMessages: async () =>
      new ReadableStream<UIMessageChunk>({
        start(controller) {
          controller.enqueue({ type: 'start', messageId: 'a' })
          const chunks = [
            ...call('c1', 'read_file', { path: 'a.ts' }, 'x\ny'),
            ...asks('c2', 'delete_files', { paths: ['x'] }),
          ]
          for (const chunk of chunks) controller.enqueue({ approvalId: 'p', ...chunk } as UIMessageChunk)
          controller.enqueue({ type: 'finish' })
          controller.close()
        },
      }),
    reconnectToStream: async () => null,
  }
  const { host } = put(<AiSdkChat transport={transport} />)
  await expect.poll(() => host.querySelector('input')).not.toBeNull()
  await userEvent.fill(host.querySelector('input')!, 'Go')
  await expect.poll(() => host.textContent).toContain('2 lines')
  await expect.poll(() => approve(host)).toBeDefined()
  approve(host)!.click()
  await expect.poll(() => host.querySelector('.argot-approval')).toBeNull()
  expect(host.textContent).toContain('approved by you')
})

test('a tool card in MUI X Chat, as the page has it', async () => {
  const adapter = functionAdapter(async function* (_, { approval }) {
    yield { type: 'start', messageId: 'a' }
    yield* call('c1', 'read_file', { path: 'a.ts' }, 'x\ny')
    yield* call('c2', 'delete_files', { paths: ['x'] })
    yield { type: 'tool-approval-request', toolCallId: 'c2', approvalId: 'p', toolName: 'delete_files', input: {} }
    await approval('p')
    yield { type: 'tool-output-available', toolCallId: 'c2', output: 'gone' }
    yield { type: 'finish', messageId: 'a' }
  })
  const { host } = put(<MuiChat adapter={adapter as never} />)
  await expect.poll(() => host.querySelector('textarea')).not.toBeNull()
  await userEvent.fill(host.querySelector('textarea')!, 'Go')
  host.querySelector('textarea')!.focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => host.querySelector('.argot-call')?.textContent).toContain('2 lines')
  await expect.poll(() => approve(host)).toBeDefined()
  approve(host)!.click()
  await expect.poll(() => host.textContent).toContain('gone')
})

test('the chat of the README answers with a call and a text', async () => {
  const { host } = put(<App />)
  await expect.poll(() => host.querySelector('textarea')).not.toBeNull()
  await userEvent.fill(host.querySelector('textarea')!, 'What is to buy?')
  host.querySelector('textarea')!.focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => host.textContent).toContain('There is basil to buy.')
  expect(host.textContent).toContain('1 call')
})
