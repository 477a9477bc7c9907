import { BranchPicker, ModelPicker, Suggestions, ThreadList } from '@argot/react'
import axe from 'axe-core'
import { type ReactNode, useState } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, found, mount } from './mount.tsx'

function Branches({ count }: { count: number }): ReactNode {
  const [index, setIndex] = useState(0)
  return <BranchPicker index={index} count={count} onChange={setIndex} />
}

test('branches of an answer are gone through by name, and stop at both ends without losing focus', async () => {
  const { host, render } = mount(<Branches count={3} />)
  const next = await button(host, 'Next answer')
  const place = () => host.querySelector('[role="group"]')?.getAttribute('aria-label')
  expect(place()).toBe('Answer 1 of 3')
  next.focus()
  next.click()
  await expect.poll(place).toBe('Answer 2 of 3')
  next.click()
  await expect.poll(place).toBe('Answer 3 of 3')
  next.click()
  expect(host.textContent).toContain('3/3')
  expect(next.ariaDisabled).toBe('true')
  expect(document.activeElement).toBe(next)
  ;(await button(host, 'Previous answer')).click()
  await expect.poll(place).toBe('Answer 2 of 3')
  render(<Branches count={1} />)
  await expect.poll(place).toBeUndefined()
})

const models = [
  { name: 'far:large', title: 'Far', isReady: false, needs: 'set FAR_API_KEY' },
  { name: 'near:small', title: 'Near' },
]

function Models({ onPick }: { onPick: (model: string | undefined) => void }): ReactNode {
  const [model, setModel] = useState<string>()
  const pick = (next: string | undefined): void => {
    onPick(next)
    setModel(next)
  }
  return <ModelPicker models={models} value={model} usual="demo" onChange={pick} />
}

test('a model is picked from those that can be used, by its name, or left to the usual one', async () => {
  const picks: unknown[] = []
  const { host } = mount(<Models onPick={model => picks.push(model)} />)
  const { click, press, active } = keys(host)
  const labels = () => [...host.querySelectorAll('[role^="menuitem"]')].map(one => one.textContent)
  await click('Model: demo')
  await expect
    .poll(labels)
    .toEqual(['Defaultdemo', 'near:smallNear', 'far:largeFar: set FAR_API_KEY', 'Another model …'])
  await expect.poll(() => active().textContent).toBe('Defaultdemo')
  await press('ArrowDown')
  active().click()
  const picker = await button(host, 'Model: near:small')
  expect(document.activeElement).toBe(picker)
  await click('Model: near:small')
  await expect.poll(() => active().ariaChecked).toBe('true')
  await press('ArrowDown')
  expect(active().ariaDisabled).toBe('true')
  active().click()
  await press('End')
  active().click()
  const field = await found<HTMLInputElement>(host, 'dialog input')
  await userEvent.fill(field, ' own:model ')
  await userEvent.keyboard('{Enter}')
  await click('Model: own:model')
  await expect.poll(labels).toContain('own:model')
  await press('Home')
  active().click()
  await button(host, 'Model: demo')
  expect(picks).toEqual(['near:small', 'own:model', undefined])
})

test('arrows, Home, End and first letters move through a menu, and closing it gives the focus back', async () => {
  const { host } = mount(
    <>
      <Models onPick={() => {}} />
      <button type="button">After</button>
    </>,
  )
  const { press, active } = keys(host)
  const picker = await button(host, 'Model: demo')
  const isOpen = () => picker.ariaExpanded === 'true'
  const open = async () => {
    picker.focus()
    await press('ArrowDown')
    await expect.poll(() => active().textContent).toBe('Defaultdemo')
  }
  await open()
  expect((await axe.run(host)).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  const places: (string | null)[] = []
  for (const key of ['ArrowUp', 'ArrowDown', 'End', 'Home', 'f', 'n', 'x', 'd']) {
    await press(key)
    places.push(active().textContent.slice(0, 7))
  }
  expect(places).toEqual(['Another', 'Default', 'Another', 'Default', 'far:lar', 'near:sm', 'near:sm', 'Default'])
  await press('Escape')
  await expect.poll(isOpen).toBe(false)
  expect(active()).toBe(picker)
  await open()
  // Tab moves on from the button.
  await press('Tab')
  await expect.poll(isOpen).toBe(false)
  expect(active().textContent).toBe('After')
  await open()
  const shortcuts: string[] = []
  const onKey = ({ key }: KeyboardEvent): unknown => shortcuts.push(key)
  addEventListener('keydown', onKey)
  await userEvent.keyboard('x{F6}{Control>}k{/Control}')
  removeEventListener('keydown', onKey)
  expect(shortcuts).toEqual(['F6', 'Control', 'k'])
  await userEvent.click(await button(host, 'After'))
  await expect.poll(isOpen).toBe(false)
  expect(active().textContent).toBe('After')
})

test('suggestions call back, or send to the chat around them', async () => {
  const picks: string[] = []
  const { host } = mount(
    <Suggestions items={['One', { label: 'Two', text: 'All of two' }]} onPick={text => picks.push(text)} />,
  )
  ;(await button(host, 'One')).click()
  ;(await button(host, 'Two')).click()
  expect(picks).toEqual(['One', 'All of two'])
})

const threads = [
  { id: 'a', title: 'Pinned one', section: 'Pinned', state: 'waiting' as const },
  { id: 'b', title: 'Tests of the reader', section: 'Today', note: 'src' },
  { id: 'c', title: 'محادثة', section: 'Today', href: '#c' },
]

function Threads({ onDo }: { onDo: (what: string) => void }): ReactNode {
  const [list, setList] = useState(threads)
  const [current, setCurrent] = useState('b')
  return (
    <ThreadList
      threads={list}
      current={current}
      onPick={({ id }) => setCurrent(id)}
      onRename={({ id }, title) => setList(list.map(one => (one.id === id ? { ...one, title } : one)))}
      menu={({ id }) => [{ key: 'pin', label: 'Pin', onPick: () => onDo(`pin ${id}`) }]}
    />
  )
}

test('threads are in sections, with one tab stop, and are opened, renamed and given a menu by keys alone', async () => {
  const acts: string[] = []
  const { host } = mount(<Threads onDo={what => acts.push(what)} />)
  const { press, active } = keys(host)
  const row = (id: string) => host.querySelector<HTMLElement>(`[data-argot-thread="${id}"]`)!
  await found(host, '[data-argot-thread="c"]')
  expect([...host.querySelectorAll('h3')].map(one => one.textContent)).toEqual(['Pinned', 'Today'])
  expect([...host.querySelectorAll('[data-argot-thread][tabindex="0"]')]).toEqual([row('b')])
  expect((await axe.run(host)).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  row('b').focus()
  await press('ArrowUp')
  expect(active()).toBe(row('a'))
  await press('Enter')
  await expect.poll(() => row('a').getAttribute('aria-current')).toBe('page')
  await press('F2')
  await expect.poll(() => active().ariaLabel).toBe('New title for Pinned one')
  await userEvent.keyboard('Renamed{Enter}')
  await expect.poll(() => row('a')?.textContent).toContain('Renamed')
  await expect.poll(active).toBe(row('a'))
  await press('F2')
  await expect.poll(() => active().tagName).toBe('INPUT')
  await userEvent.keyboard('Lost{Escape}')
  await expect.poll(active).toBe(row('a'))
  expect(row('a').textContent).toContain('Renamed')
  await userEvent.keyboard('{Shift>}{F10}{/Shift}')
  await expect.poll(() => active().textContent).toBe('Rename')
  await press('ArrowDown')
  await press('Enter')
  expect(acts).toEqual(['pin a'])
  await press('End')
  expect(row('c').tagName).toBe('A')
})

function keys(host: HTMLElement): {
  click: (name: string) => Promise<void>
  press: (key: string) => Promise<void>
  active: () => HTMLElement
} {
  return {
    click: async name => (await button(host, name)).click(),
    press: key => userEvent.keyboard(`{${key}}`),
    active: () => document.activeElement as HTMLElement,
  }
}
