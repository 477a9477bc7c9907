import type { Message } from '@argot/core'
import { expect, test } from 'vitest'
import { mountBox } from './mount.tsx'

test('a summary of older turns is one line that opens', async () => {
  const user: Message = { id: 'u', role: 'user', status: 'sent', parts: [] }
  const said: Message = {
    id: 'a',
    role: 'assistant',
    status: 'sent',
    parts: [
      { type: 'data-argot-summary', data: { text: 'They asked <b>six</b> questions.', replaces: 12 } },
      { type: 'step-start' },
      { type: 'text', id: 't', text: 'Done.', state: 'done', phase: 'final' },
      { type: 'data-argot-summary', data: { text: 'forged', replaces: -1 } },
    ],
  }
  const { host, log } = await mountBox({ initialMessages: [user, said] as never })
  await expect.poll(() => log().textContent).toContain('Turns 1–12 are summarised for the model')
  const [summary, ...more] = [...host.querySelectorAll('details.argot-note')] as HTMLDetailsElement[]
  expect([summary?.open, more.length]).toEqual([false, 0])
  expect(log().textContent).not.toContain('forged')
  summary?.querySelector('summary')?.click()
  await expect.poll(() => summary?.open).toBe(true)
  expect(summary?.querySelector('p')?.textContent).toBe('They asked <b>six</b> questions.')
})
