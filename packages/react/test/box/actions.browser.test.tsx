import type { ChatAdapter } from '@argot/react'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { cdp, userEvent } from 'vitest/browser'
import { asks, type Mounted, mountBox, text } from './mount.tsx'

const usage = { inputTokens: 1000, outputTokens: 157, totalTokens: 1157 }
const table = 'Prices:\n\n| a | b |\n| --- | --- |\n| =1+1 | "x", y |\n\n```ts\nconst a = 1\n```'
const history = [
  { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'First question' }] },
  { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'First answer' }] },
  { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Second question' }] },
  {
    id: 'a2',
    role: 'assistant',
    createdAt: '2026-01-02T14:03:00Z',
    metadata: { usage, feedback: { value: 'bad' } },
    parts: [
      { type: 'text', text: 'Looking.', phase: 'commentary' },
      { type: 'text', text: table, phase: 'final' },
    ],
  },
]

const bar = (host: HTMLElement, id: string): HTMLElement | null =>
  host.querySelector(`[data-argot-message="${id}"] [role="toolbar"]`)

const button = (within: HTMLElement, name: string): HTMLButtonElement =>
  [...within.querySelectorAll('button')].find(one => (one.ariaLabel ?? one.textContent) === name)!

async function openBar({ host }: Pick<Mounted, 'host'>, id: string): Promise<HTMLElement> {
  await expect.poll(() => bar(host, id)).not.toBeNull()
  return bar(host, id)!
}

/** What is written to the clipboard while `act` is done. */
async function copied(act: () => unknown): Promise<string | undefined> {
  const { clipboard } = navigator
  const write = clipboard.writeText.bind(clipboard)
  let seen: string | undefined
  clipboard.writeText = async value => {
    seen = value
  }
  try {
    act()
    await expect.poll(() => seen).toBeDefined()
  } finally {
    clipboard.writeText = write
  }
  return seen
}

test('under a finished answer: copy, another try, the way between answers, feedback, time and tokens', async () => {
  const feedback: unknown[] = []
  const mounted = await mountBox({
    initialMessages: history,
    onFeedback: ({ message, value }) => feedback.push([message.id, value]),
    actions: [
      'copy',
      'retry',
      'branches',
      'feedback',
      'info',
      { name: 'save', label: 'Save', onPress: () => feedback.push('saved') },
    ],
  })
  const { host, adapter, store } = mounted
  const last = await openBar(mounted, 'a2')
  const first = await openBar(mounted, 'a1')
  expect(last.getAttribute('aria-label')).toBe('Actions on this answer')
  expect(host.querySelector('[data-argot-message="u1"] [role="toolbar"]')).toBeNull()
  // The last one is there to be seen; another on hover, and on focus.
  expect([getComputedStyle(last).opacity, getComputedStyle(first).opacity]).toEqual(['1', '0'])
  await userEvent.hover(host.querySelector('[data-argot-message="a1"]')!)
  expect(getComputedStyle(first).opacity).toBe('1')
  expect(last.querySelector('.argot-info')!.textContent).toMatch(/^\d\d?:03.* · 1,157 tokens$/)
  expect(await copied(() => button(last, 'Copy').click())).toBe(table)
  await userEvent.click(button(last, 'Save'))
  // Feedback from before is pressed; pressing it again takes it back.
  expect(button(last, 'Bad').getAttribute('aria-pressed')).toBe('true')
  await userEvent.click(button(last, 'Bad'))
  expect(button(last, 'Bad').getAttribute('aria-pressed')).toBe('false')
  await userEvent.click(button(last, 'Good'))
  expect(button(last, 'Good').getAttribute('aria-pressed')).toBe('true')
  expect(feedback).toEqual(['saved', ['a2', 'none'], ['a2', 'good']])
  const code = host.querySelector('.argot-code-block')!
  expect(code.querySelector('.argot-code-head > span')!.textContent).toBe('ts')
  expect(await copied(() => code.querySelector('button')!.click())).toBe('const a = 1')
  const csv = host.querySelector<HTMLElement>('.argot-table-block')!
  expect(await copied(() => button(csv, 'Copy as CSV').click())).toBe(`a,b\r\n'=1+1,"""x"", y"\r\n`)
  const width = (one: Element): number => one.getBoundingClientRect().width
  expect(width(csv.querySelector('table')!)).toBe(width(csv))
  // Another try: the earlier answer is kept, and an answer that streams has no actions.
  await userEvent.click(button(last, 'Try again'))
  await expect.poll(() => adapter.sent).toEqual(['Second question'])
  adapter.say({ type: 'start', messageId: 'b2' }, ...text('t', 'Another'))
  await expect.poll(() => host.textContent).toContain('Another')
  expect([bar(host, 'b2'), bar(host, 'a2')]).toEqual([null, null])
  adapter.say({ type: 'finish' })
  adapter.close()
  const next = await openBar(mounted, 'b2')
  expect(next.querySelector('[role="group"]')!.getAttribute('aria-label')).toBe('Answer 2 of 2')
  expect(button(next, 'Next answer').ariaDisabled).toBe('true')
  await userEvent.click(button(next, 'Previous answer'))
  const back = await openBar(mounted, 'a2')
  expect(back.textContent).toContain('1/2')
  expect(store.conversation.ids.get()).toEqual(['u1', 'a1', 'u2', 'a2'])
})

test('with the keyboard alone: into the bar, through it, through the menu and out again', async () => {
  const tried: unknown[] = []
  const given: Pick<ChatAdapter, 'branch' | 'listModels' | 'listBranches'> = {
    branch: async ({ before, model, syntax }) => {
      tried.push({ before: before.id, model, syntax })
      return 'other'
    },
    listBranches: async () => [{ messageId: 'a2', conversations: ['one', 'two', 'three'], current: 1 }],
    listModels: async () => ({
      models: Array.from({ length: 3 }, (_, at) => ({ name: `lab/model-${at}`, title: `Model ${at}` })),
      syntaxes: ['one', 'two'],
    }),
  }
  const opened: unknown[] = []
  const mounted = await mountBox({ initialMessages: history, onBranch: one => opened.push(one) }, given)
  const { host } = mounted
  const last = await openBar(mounted, 'a2')
  const focused = (): string | null => {
    const { activeElement: one } = document
    return one === null ? null : (one.ariaLabel ?? one.textContent)
  }
  button(last, 'Copy').focus()
  const seen: (string | null)[] = []
  for (let at = 0; at < 5; at++) {
    await userEvent.keyboard('{ArrowRight}')
    seen.push(focused())
  }
  expect(seen).toEqual(['Try again', 'Other model or syntax', 'Previous answer', 'Next answer', 'Copy'])
  await userEvent.keyboard('{End}{ArrowLeft}{ArrowLeft}{Enter}')
  await expect.poll(focused).toBe('Same model and syntax')
  const menu = host.querySelector<HTMLElement>('[role="menu"]')!
  expect(menu.matches(':popover-open')).toBe(true)
  const box = menu.getBoundingClientRect()
  expect(box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth).toBe(true)
  const { violations } = await axe.run(host, { resultTypes: ['violations'] })
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  await userEvent.keyboard('{Escape}')
  expect([host.querySelector('[role="menu"]'), focused()]).toEqual([null, 'Other model or syntax'])
  await userEvent.keyboard('{ArrowDown}')
  await expect.poll(focused).toBe('Same model and syntax')
  const shortcuts: string[] = []
  const onKey = ({ key }: KeyboardEvent): unknown => shortcuts.push(key)
  addEventListener('keydown', onKey)
  await userEvent.keyboard('t{Control>}k{/Control}')
  removeEventListener('keydown', onKey)
  expect([focused(), shortcuts]).toEqual(['two', ['Control', 'k']])
  await userEvent.keyboard('{Tab}')
  expect(host.querySelector('[role="menu"]')).toBe(null)
  expect(focused()).toBe('Previous answer')
  button(last, 'Other model or syntax').focus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.poll(focused).toBe('Same model and syntax')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await expect.poll(() => opened).toEqual([{ conversationId: 'other', isNew: true, model: 'lab/model-1' }])
  await userEvent.keyboard('{Enter}')
  await expect.poll(focused).toBe('Same model and syntax')
  await userEvent.keyboard('{End}{Enter}')
  await expect
    .poll(() => tried)
    .toEqual([
      { before: 'a2', model: 'lab/model-1', syntax: undefined },
      { before: 'a2', model: undefined, syntax: 'two' },
    ])
  await userEvent.click(button(last, 'Next answer'))
  await expect.poll(() => opened.at(-1)).toEqual({ conversationId: 'three', isNew: false })
  button(last, 'Copy').focus()
  await userEvent.keyboard('{Escape}')
  expect((document.activeElement as HTMLElement).dataset.argotMessage).toBe('a2')
  host.dataset.theme = 'dark'
  await Promise.all(document.getAnimations().map(one => one.finished.catch(() => {})))
  const dark = await axe.run(host, { resultTypes: ['violations'] })
  expect(dark.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
})

test('an answer that ends moves nothing, one that waits has no actions, and finished ones do not render again', async () => {
  const renders: string[] = []
  const mounted = await mountBox({
    initialMessages: history,
    onFeedback: () => {},
    partRenderers: {
      text: ({ part, message }) => {
        renders.push(message.id)
        return <p>{part.text}</p>
      },
    },
  })
  const { host, adapter, store, log } = mounted
  const last = await openBar(mounted, 'a2')
  renders.length = 0
  await userEvent.click(button(last, 'Good'))
  await expect.poll(() => button(last, 'Good').getAttribute('aria-pressed')).toBe('true')
  expect(renders).toEqual([])
  store.submit({ text: 'More' })
  adapter.say({ type: 'start', messageId: 'a3' }, ...text('t', 'Words.'))
  await expect.poll(() => host.textContent).toContain('Words.')
  const rows = (): number[] => [...log().querySelectorAll('article')].map(one => one.getBoundingClientRect().height)
  const before = rows()
  adapter.say({ type: 'finish' })
  adapter.close()
  await openBar(mounted, 'a3')
  expect(rows()).toEqual(before)
  expect(renders.filter(id => id !== 'a3' && !id.startsWith('msg-'))).toEqual([])
  store.submit({ text: 'And then?' })
  adapter.say({ type: 'start', messageId: 'a4' }, ...asks('c', 'delete_files', { paths: ['x'] }))
  await mounted.find('.argot-approval')
  expect(bar(host, 'a4')).toBeNull()
})

test('at 320 px, by touch and without any action', async () => {
  const mounted = await mountBox({ initialMessages: history })
  const { host } = mounted
  host.style.inlineSize = '320px'
  const last = await openBar(mounted, 'a2')
  expect(host.querySelector('.argot-log')!.scrollWidth).toBeLessThanOrEqual(320)
  expect(last.getBoundingClientRect().right).toBeLessThanOrEqual(320)
  const table = host.querySelector('.argot-table')!
  expect(table.getBoundingClientRect().right).toBeLessThanOrEqual(320)
  const media = (features: { name: string; value: string }[]): Promise<unknown> =>
    cdp().send('Emulation.setEmulatedMedia', { features } as never)
  await media([{ name: 'forced-colors', value: 'active' }])
  const { violations } = await axe.run(host, { resultTypes: ['violations'] })
  await media([])
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  const bare = await mountBox({ initialMessages: history, actions: [] })
  await bare.find('article')
  expect(bare.host.querySelector('[role="toolbar"]')).toBeNull()
})
