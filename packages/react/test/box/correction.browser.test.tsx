import type { Message } from '@argot/core'
import { expect, test } from 'vitest'
import { mountBox } from './mount.tsx'

const words = 'You showed a call of read_file in a code block. Write it outside to run it.'
const notice = "The model only showed a call of read_file in a code block, so it didn't run."
const said: Message = {
  id: 'a',
  role: 'assistant',
  status: 'sent',
  metadata: { notices: [notice] },
  parts: [
    { type: 'step-start' },
    { type: 'text', id: 't1', text: 'I read it.', state: 'done', phase: 'commentary' },
    { type: 'data-argot-correction', data: { text: words, toolName: 'read_file' } },
    { type: 'step-start' },
    { type: 'text', id: 't2', text: 'It says hello.', state: 'done', phase: 'final' },
  ],
}

test('a correction is shown as the words of Argot, in the turn of the assistant, with the notice below it', async () => {
  const user: Message = { id: 'u', role: 'user', status: 'sent', parts: [] }
  const { host, log } = await mountBox({ initialMessages: [user, said] as never })
  await expect.poll(() => log().textContent).toContain(`Argot to the model: ${words}`)
  const shown = [...host.querySelectorAll('.argot-note')].map(one => one.textContent)
  expect(shown).toEqual([`Argot to the model: ${words}`, `Argot noticed: ${notice}`])
  const author = host.querySelector('.argot-note')!.closest('[data-role]')
  expect(author?.getAttribute('data-role')).toBe('assistant')
})

test('a correction that streams appears where it was said, and data of others does not', async () => {
  const { log, adapter, field } = await mountBox()
  field().focus()
  const { userEvent } = await import('vitest/browser')
  await userEvent.keyboard('one{Enter}')
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'I read it.' },
    { type: 'text-end', id: 't' },
    { type: 'message-metadata', messageMetadata: { notices: [notice] }, metadata: { notices: [notice] } },
    { type: 'data-argot-correction', data: { text: words, toolName: 'read_file' } },
    { type: 'data-argot-correction', data: 'not one' },
    { type: 'data-other', data: 'hidden' },
    { type: 'finish-step' },
  )
  await expect.poll(() => log().textContent).toContain(`Argot noticed: ${notice}`)
  expect(log().textContent?.split('Argot to the model')).toHaveLength(2)
  expect(log().textContent).not.toContain('hidden')
})
