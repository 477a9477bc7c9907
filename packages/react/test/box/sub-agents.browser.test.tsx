import type { Chunk } from '@argot/core'
import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { asks, call, type Mounted, mountBox } from './mount.tsx'

/** What an agent inside a call does, as the stream of the outer run has it. */
function inside(toolCallId: string, ...chunks: Chunk[]): Chunk[] {
  return chunks.map(chunk => ({ type: 'data-argot-sub', data: { toolCallId, chunk }, transient: true }))
}

async function working(...chunks: Chunk[]): Promise<Mounted> {
  const mounted = await mountBox()
  const { adapter, store, find } = mounted
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c', 'reviewer', { task: 'look' }), ...chunks)
  await find('[data-argot-call="a/c"]')
  return mounted
}

const row = (host: HTMLElement, key: string): HTMLElement | null =>
  host.querySelector(`[data-argot-call="${key}"] > .argot-line .argot-row`)

test('one level of an agent is drawn below its call; what that runs opens in a pane, and so on from there', async () => {
  const third = inside('r', { type: 'start', messageId: 's3' }, ...call('w', 'read_file', { path: 'deep.ts' }, 'x'))
  const second = inside(
    'b',
    { type: 'start', messageId: 's2' },
    ...call('s', 'search_files', { query: 'parse' }, { matches: [1] }),
    ...call('r', 'helper', { task: 'deeper' }),
    ...third,
  )
  const { host, find } = await working(
    ...inside('c', { type: 'start', messageId: 's1' }, ...call('b', 'scout', { task: 'find' }), ...second),
  )
  await expect.poll(() => row(host, 'a/c')?.textContent).toContain('1 call')
  await userEvent.click(row(host, 'a/c')!)
  const nested = await find('[data-argot-call="a/1:c/b"] .argot-row')
  expect(nested.getAttribute('aria-haspopup')).toBe('dialog')
  expect(nested.hasAttribute('aria-expanded')).toBe(false)
  await expect.poll(() => nested.textContent).toContain('2 calls')
  await userEvent.click(nested)
  const pane = await find('dialog.argot-source[open]')
  await expect.poll(() => pane.textContent).toContain('Searched files')
  expect(host.querySelector('.argot-log')!.textContent).not.toContain('Searched files')
  // In the pane, one level is drawn again.
  await userEvent.click(row(pane, 'a/1:c/1:b/r')!)
  await expect.poll(() => pane.textContent).toContain('deep.ts')
})

test('a question inside an agent is shown though its call is closed, counted, and answered by its own name', async () => {
  const asked = asks('d', 'delete_files', { paths: ['x.ts'] }).map(chunk =>
    chunk.type === 'tool-approval-request' ? { ...chunk, approvalId: 'c/d' } : chunk,
  )
  const { host, adapter, store, find } = await working(...inside('c', { type: 'start', messageId: 's' }, ...asked))
  const approval = await find('.argot-approval')
  expect(approval.textContent).toContain('x.ts')
  expect(row(host, 'a/c')!.getAttribute('aria-label')).toContain('needs you')
  expect(store.conversation.pending.get()).toMatchObject([{ callKey: 'a/1:c/d', messageId: 'a', kind: 'approval' }])
  await userEvent.click([...approval.querySelectorAll('button')].find(one => one.textContent === 'Approve')!)
  expect(adapter.answers).toMatchObject([{ id: 'c/d', approved: true }])
  await expect.poll(() => host.querySelector('.argot-approval')).toBeNull()
  expect(store.conversation.pending.get()).toEqual([])
})

test('a question two agents deep is shown as well, in its place when its call is open, and gone when the call is over', async () => {
  const deep = inside('b', { type: 'start', messageId: 's2' }, ...asks('d', 'run', { command: 'rm x' }))
  const { host, adapter, store, find } = await working(
    ...inside('c', { type: 'start', messageId: 's1' }, ...call('b', 'scout', { task: 'find' }), ...deep),
  )
  await find('.argot-approval')
  await userEvent.click(row(host, 'a/c')!)
  await find('[data-argot-call="a/1:c/b"]')
  expect(host.querySelectorAll('.argot-log .argot-approval')).toHaveLength(1)
  adapter.say({ type: 'tool-output-available', toolCallId: 'c', output: 'stopped' })
  await expect.poll(() => store.conversation.pending.get()).toEqual([])
  await expect.poll(() => host.querySelector('.argot-approval')).toBeNull()
})

test('what is said while an agent asks denies that call with that text', async () => {
  const { adapter, field, find } = await working(
    ...inside('c', { type: 'start', messageId: 's' }, ...asks('d', 'run', { command: 'rm x' })),
  )
  await find('.argot-approval')
  field().focus()
  await userEvent.keyboard('Leave x{Enter}')
  expect(adapter.answers).toMatchObject([{ id: 'd', approved: false, reason: 'Leave x' }])
})

test('a page with a pane of its own is told which run to show', async () => {
  const onOpenSource = vi.fn()
  const { host, adapter, store, find } = await mountBox({ onOpenSource })
  store.submit({ text: 'one' })
  const deep = inside('b', { type: 'start', messageId: 's2' }, ...call('s', 'search_files', { query: 'x' }, 'y'))
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...call('c', 'reviewer', {}),
    ...inside('c', { type: 'start', messageId: 's' }, ...call('b', 'scout', {}), ...deep),
  )
  await find('[data-argot-call="a/c"]')
  await userEvent.click(row(host, 'a/c')!)
  await userEvent.click(await find('[data-argot-call="a/1:c/b"] .argot-row'))
  expect(onOpenSource).toHaveBeenCalledWith({ kind: 'run', name: 'scout', scope: 'a/1:c', toolCallId: 'b' })
})
