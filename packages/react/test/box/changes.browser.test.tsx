import type { ChatTurnChanges } from '@argot/core/stream/internal'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { call, type Mounted, mountBox, text } from './mount.tsx'

const diff = '@@ -1,2 +1,2 @@\n-one\n+ONE\n two'

/** A turn that edits two files, as the built-in tools say it. */
function edited({ adapter, store }: Mounted): void {
  store.submit({ text: 'Do it.' })
  const detail = (path: string): object => ({ argot: { details: { path, diff, added: 1, removed: 1 } } })
  adapter.say({ type: 'start', messageId: 'a' }, ...text('t', 'I edit.'))
  for (const [id, path] of [
    ['c1', 'src/log/reader.ts'],
    ['c2', 'src/offset.test.ts'],
  ] as const) {
    adapter.say(...call(id, 'find_and_replace', { path, search: 'one', replace: 'ONE' }), {
      type: 'tool-output-available',
      toolCallId: id,
      output: 'Replaced it.',
      providerMetadata: detail(path) as never,
    })
  }
}

function answer({ adapter }: Mounted): void {
  adapter.say(...text('u', 'Done: both files are changed.'), { type: 'finish' })
  adapter.close()
}

const served: ChatTurnChanges = {
  message: 'a',
  isOver: true,
  files: [
    { path: 'src/log/reader.ts', operation: 'update', added: 2, removed: 1, diff, state: 'ready' },
    { path: 'src/offset.test.ts', operation: 'add', added: 52, removed: 0, diff, state: 'ready' },
    { path: 'src/mine.ts', operation: 'update', state: 'refused', reason: 'It has changed since the turn.' },
  ],
  effects: [{ toolName: 'shell', text: 'Ran npm test' }],
}

async function axeProblems(host: HTMLElement): Promise<string[]> {
  const { violations } = await axe.run(host, { resultTypes: ['violations'] })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

const line = (host: HTMLElement): HTMLElement | null => host.querySelector('.argot-changes:not([data-empty])')
const words = (element: HTMLElement | null): string => (element?.innerText ?? '').replace(/\s+/g, ' ').trim()
const focused = (): string => words(document.activeElement as HTMLElement)

test('without a server the line shows the files and the review from the calls, has its place before the turn ends, and no undo', async () => {
  const mounted = await mountBox()
  const { host, find } = mounted
  edited(mounted)
  const place = await find('.argot-changes[data-empty]')
  const { height } = place.getBoundingClientRect()
  answer(mounted)
  await expect.poll(() => line(host)).not.toBeNull()
  expect(line(host)!.getBoundingClientRect().height).toBe(height)
  expect(words(line(host))).toMatch(/^reader\.ts \+1.* offset\.test\.ts \+1.* Review all$/)
  host.querySelector<HTMLElement>('.argot-changes button')!.click()
  const dialog = await find('dialog[open]')
  await expect.poll(() => dialog.querySelectorAll('.argot-diff').length).toBe(2)
  expect(words(dialog)).toContain('ONE')
})

test('a turn whose edits failed keeps the place that it had, and a tool that only sounds like one has none', async () => {
  const mounted = await mountBox()
  const { host, adapter, store, find } = mounted
  store.submit({ text: 'Do it.' })
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c1', 'write_file', { path: 'a.ts', content: 'x' }), {
    type: 'tool-output-error',
    toolCallId: 'c1',
    errorText: 'No.',
  })
  const { height } = (await find('.argot-changes[data-empty]')).getBoundingClientRect()
  answer(mounted)
  await expect.poll(() => store.status.get()).toBe('ready')
  expect(host.querySelector('.argot-changes')!.getBoundingClientRect().height).toBe(height)
  store.submit({ text: 'Again.' })
  adapter.say({ type: 'start', messageId: 'b' }, ...call('c2', 'create_issue', { title: 'x' }, 'ok'))
  await find('[data-argot-call="b/c2"]')
  expect(host.querySelectorAll('.argot-changes')).toHaveLength(1)
})

test('a walk with keys alone: review, next, previous, undo with its question, the outcome; axe finds nothing on the way', async () => {
  const mounted = await mountBox()
  const { host, adapter, find } = mounted
  let state: ChatTurnChanges = served
  const undone: string[] = []
  Object.assign(adapter, {
    readChanges: async () => state,
    undoTurn: async ({ messageId }: { messageId: string }) => {
      undone.push(messageId)
      const files = served.files.map(file => (file.state === 'ready' ? { ...file, state: 'undone' as const } : file))
      state = { ...served, files, undoneAt: '2026-11-18T14:03:00Z' }
      return { files: [], undoneAt: state.undoneAt! }
    },
  })
  edited(mounted)
  answer(mounted)
  await expect.poll(() => words(line(host))).toContain('Undo turn')
  expect(words(line(host))).toMatch(/^reader\.ts \+2.*−1.* offset\.test\.ts \+52.* mine\.ts Review all Undo turn$/)
  expect(await axeProblems(host)).toEqual([])
  const [review] = host.querySelectorAll<HTMLElement>('.argot-changes button')
  review!.focus()
  await userEvent.keyboard('{Enter}')
  const dialog = await find('dialog[open]')
  await expect.poll(() => dialog.querySelectorAll('.argot-diff').length).toBe(2)
  expect(focused()).toContain('src/log/reader.ts')
  await userEvent.keyboard('n')
  expect(focused()).toContain('src/offset.test.ts')
  await userEvent.keyboard('nn')
  expect(focused()).toContain('src/mine.ts')
  await userEvent.keyboard('p')
  expect(focused()).toContain('src/offset.test.ts')
  expect(words(dialog)).toContain('2 of 3')
  expect(await axeProblems(host)).toEqual([])
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => host.querySelector('dialog')).toBeNull()
  expect(focused()).toBe('Review all')
  await userEvent.keyboard('{Tab}')
  expect(focused()).toBe('Undo turn')
  await userEvent.keyboard('{Enter}')
  const question = await find('dialog[open]')
  // An Enter that was meant for something else undoes nothing.
  expect(focused()).toBe('Cancel')
  expect(words(question)).toContain(
    'These files return to their earlier content: src/log/reader.ts, src/offset.test.ts.',
  )
  expect(words(question)).toContain('src/mine.ts stays unchanged. It has changed since the turn.')
  expect(words(question)).toContain('Not undone: Ran npm test.')
  expect(await axeProblems(host)).toEqual([])
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => host.querySelector('dialog')).toBeNull()
  expect(undone).toEqual([])
  await userEvent.keyboard('{Enter}')
  await find('dialog[open]')
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}{Enter}')
  await expect.poll(() => host.querySelector('dialog')).toBeNull()
  expect(undone).toEqual(['a'])
  await expect
    .poll(() => words(line(host)))
    .toMatch(/Undone at .*mine\.ts stays unchanged\. It has changed since the turn\. Review all$/)
  expect(focused()).toBe('Review all')
  expect(await axeProblems(host)).toEqual([])
})

test('a server that fails or knows nothing leaves what the calls say, and an undo that fails says why', async () => {
  const mounted = await mountBox()
  const { host, adapter, find } = mounted
  let answers: ChatTurnChanges | undefined
  Object.assign(adapter, {
    readChanges: async () => answers,
    undoTurn: () => Promise.reject(new Error('A run is using the document.')),
  })
  edited(mounted)
  answer(mounted)
  await expect.poll(() => words(line(host))).toContain('Review all')
  expect(words(line(host))).not.toContain('Undo turn')
  answers = served
  host.querySelector<HTMLElement>('.argot-changes button')!.click()
  await find('dialog[open]')
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => words(line(host))).toContain('Undo turn')
  host.querySelectorAll<HTMLElement>('.argot-changes button')[1]!.click()
  await find('dialog[open]')
  host.querySelector<HTMLElement>('dialog .argot-button[data-kind="primary"]')!.click()
  await expect.poll(() => words(host.querySelector('dialog'))).toContain('Not undone: A run is using the document.')
})

test('the question names every file and effect, however many, and axe finds nothing', async () => {
  const mounted = await mountBox()
  const { host, adapter, find } = mounted
  const many = (name: string): string[] => Array.from({ length: 60 }, (_, index) => `${name}-${index}`)
  const changes: ChatTurnChanges = {
    ...served,
    files: [
      ...many('ready').map(path => ({ path, operation: 'update' as const, state: 'ready' as const })),
      ...many('kept').map(path => ({
        path,
        operation: 'update' as const,
        state: 'refused' as const,
        reason: 'It is.',
      })),
    ],
    effects: many('Ran it').map(text => ({ toolName: 'shell', text })),
  }
  Object.assign(adapter, { readChanges: async () => changes, undoTurn: () => Promise.reject(new Error('No.')) })
  edited(mounted)
  answer(mounted)
  await expect.poll(() => words(line(host))).toContain('Undo turn')
  host.querySelectorAll<HTMLElement>('.argot-changes button')[1]!.click()
  const question = await find('dialog[open]')
  const text = words(question)
  const names = [...many('ready'), ...many('kept'), ...many('Ran it')]
  expect(names.filter(name => !text.includes(name))).toEqual([])
  expect(await axeProblems(host)).toEqual([])
  // Files and answers are reached with keys.
  await userEvent.keyboard('{Shift>}{Tab}{Tab}{/Shift}{End}')
  await expect.poll(() => question.querySelector('.argot-review-list')!.scrollTop).toBeGreaterThan(0)
  // A failure is in view, however far the list is scrolled.
  await userEvent.keyboard('{Home}')
  await expect.poll(() => question.querySelector('.argot-review-list')!.scrollTop).toBe(0)
  question.querySelector<HTMLElement>('.argot-button[data-kind="primary"]')!.click()
  const failure = (await find('dialog [role="alert"]')).getBoundingClientRect()
  const { top, bottom } = question.getBoundingClientRect()
  expect(failure.top > top && failure.bottom < bottom && failure.bottom < innerHeight).toBe(true)
  expect(await axeProblems(host)).toEqual([])
})
