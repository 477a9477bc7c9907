import axe from 'axe-core'
import { expect, test } from 'vitest'
import { asks, call, type Mounted, mountBox, text } from './mount.tsx'

async function problems(host: HTMLElement): Promise<string[]> {
  const { violations } = await axe.run(host, { resultTypes: ['violations'] })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

const states: [string, (mounted: Mounted) => Promise<unknown>][] = [
  ['empty', async () => undefined],
  [
    'working',
    async ({ adapter, store, find }) => {
      store.submit({ text: 'one' })
      adapter.say(
        { type: 'start', messageId: 'a' },
        ...text('t', 'Look.'),
        ...call('c', 'read_file', { path: 'a.ts' }, 'x'),
      )
      store.submit({ text: 'queued' })
      await find('.argot-queue')
      await find('[data-argot-call="a/c"]')
    },
  ],
  [
    'asking',
    async ({ host, adapter, store, find }) => {
      store.submit({ text: 'one' })
      adapter.say(
        { type: 'start', messageId: 'a' },
        ...asks('c1', 'delete_files', { paths: ['x'] }),
        ...asks('c2', 'run_command', { command: 'ls' }),
      )
      await find('[data-argot-call="a/c2"] .argot-approval')
      host.querySelector<HTMLElement>('.argot-bar button')!.click()
      await find('dialog[open] .argot-approval')
    },
  ],
  [
    'failed, finding',
    async ({ field, adapter, store, find }) => {
      store.submit({ text: 'one' })
      adapter.say(
        { type: 'start', messageId: 'a' },
        ...text('t', '# Title\n\nText.'),
        { type: 'error', errorText: 'Overloaded.' },
        { type: 'finish' },
      )
      adapter.close()
      await find('.argot-end')
      field().dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }))
      await find('.argot-find input')
    },
  ],
]

test.each(states)('axe finds nothing in a box that is %s', async (_, bring) => {
  const mounted = await mountBox({ suggestions: ['Say hello'] })
  await bring(mounted)
  // Axe measures colours: none of them may be on its way. What turns for ever does not count.
  const moving = document.getAnimations().filter(one => one.effect?.getComputedTiming().endTime !== Infinity)
  await Promise.all(moving.map(one => one.finished.catch(() => {})))
  expect(await problems(mounted.host)).toEqual([])
})
