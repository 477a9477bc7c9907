import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { asks, type Mounted, mountBox } from './mount.tsx'

/** A box with a call that asks, whose answer the server refuses like this. */
async function refusing(error: object): Promise<Mounted & { errors: unknown[] }> {
  const errors: unknown[] = []
  const mounted = await mountBox({ onError: one => errors.push(one) })
  const { adapter, store, find } = mounted
  adapter.addToolApprovalResponse = async () => {
    throw Object.assign(new Error('refused'), error)
  }
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'delete_files', { paths: ['x.ts'] }))
  await find('.argot-approval')
  return { ...mounted, errors }
}

const approve = (host: HTMLElement): Promise<void> =>
  userEvent.click([...host.querySelectorAll('.argot-approval button')].find(one => one.textContent === 'Approve')!)

test.each([409, 410])(
  'an answer that comes too late (%i) is no error: the card becomes that fact, and focus is on it',
  async status => {
    const { host, store, errors, find } = await refusing({ status })
    await approve(host)
    const row = await find('[data-argot-call="a/c"] .argot-row')
    await expect.poll(() => row.getAttribute('aria-label')).toBe('Wants to delete files x.ts, answered elsewhere')
    expect(row.textContent).toContain('answered elsewhere')
    expect(host.querySelector('.argot-approval')).toBeNull()
    expect(document.activeElement).toBe(row)
    expect(store.conversation.pending.get()).toEqual([])
    expect(host.querySelector('.argot-bar')).toBeNull()
    expect(host.querySelector('.argot-run-words')!.textContent).not.toContain('needs you')
    const segment = host.querySelector('.argot-strip .argot-segment')!
    expect(segment.parentElement!.querySelector('title')!.textContent).toBe('Wants to delete files x.ts')
    expect(host.querySelector('.argot-segment-wait')).toBeNull()
    expect(errors).toEqual([])
  },
)

test('where it is known who was first, the row says who and what', async () => {
  const { host, find } = await refusing({ status: 409, approval: { approved: false, reason: 'Keep it.', by: 'Ada' } })
  await approve(host)
  const row = await find('[data-argot-call="a/c"] .argot-row')
  await expect.poll(() => row.getAttribute('aria-label')).toContain('denied by Ada')
  await expect.poll(() => host.querySelector('[data-argot-call="a/c"]')!.textContent).toContain('Keep it.')
})

test('an answer that can be given again leaves the card, with the reason', async () => {
  const { host, store, errors } = await refusing({ status: 412 })
  await approve(host)
  await expect.poll(() => host.querySelector('.argot-approval')?.textContent).toContain('This answer was not accepted')
  expect(store.conversation.pending.get()).toHaveLength(1)
  expect(errors).toHaveLength(1)
})

test('an answer that the stream brings from elsewhere takes the place of the card', async () => {
  const { adapter, store, host, find } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'delete_files', { paths: ['x.ts'] }))
  await find('.argot-approval')
  adapter.say({
    type: 'tool-approval-response',
    approvalId: 'c',
    toolCallId: 'c',
    approved: true,
    providerMetadata: { argot: { by: 'Ada' } },
  })
  await expect.poll(() => host.querySelector('.argot-approval')).toBeNull()
  const card = host.querySelector('[data-argot-call="a/c"]')!
  await expect.poll(() => card.textContent).toMatch(/Approved by Ada, \d\d:\d\d:\d\d/)
})

test('a question that a stop takes back says that the call was not run', async () => {
  const { adapter, store, find, host } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'run', { command: 'ls' }))
  await find('.argot-approval')
  store.stop()
  const row = await find('[data-argot-call="a/c"] .argot-row')
  await expect.poll(() => row.getAttribute('aria-label')).toBe('Not run ls, stopped')
  expect(row.textContent).toContain('stopped')
  expect(host.querySelector('[data-argot-call="a/c"] .argot-error')).toBeNull()
})
