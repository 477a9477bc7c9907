import type { Chunk } from '@argot/core'
import type { ChatApprovalCheck } from '@argot/react/types'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import approvals from '../../../../fixtures/calls/approvals.json' with { type: 'json' }
import { button, settled } from '../parts/mount.tsx'
import { call, type Mounted, mountBox } from './mount.tsx'

const input = { path: 'notes/todo.md', search: 'five', replace: '5' }
const diff = '--- a/notes/todo.md\n+++ b/notes/todo.md\n@@ -2,4 +2,4 @@\n two\n three\n four\n-five\n+5\n'
const problem = 'The text is not in `notes/todo.md`.'
const today = new Date()
const at = today.setHours(14, 2, 30, 0)

interface Question {
  id?: string
  input?: object
  facts?: object
}

/** A call of `find_and_replace` that waits, with what the run says of its files. */
function asks({ id = 'c1', input: given = input, facts = { check: { at }, diff } }: Question = {}): Chunk[] {
  const approval = { type: 'tool-approval-request', toolCallId: id, approvalId: `question-${id}` } as const
  return [
    ...call(id, 'find_and_replace', given),
    { ...approval, providerMetadata: { argot: { facts: { effect: 'write', ...facts } } } } as Chunk,
  ]
}

type Check = (id: string, signal: AbortSignal) => Promise<ChatApprovalCheck | undefined>

interface Asked extends Mounted {
  /** Another check from now on, and the page gets the focus. */
  lookAgain(check: Check): void
  note(): { state: string | undefined; text: string | null | undefined }
  firstChoice(): string | null | undefined
  looks(): number
}

/** A box in which calls wait, and whose server says this of their files. */
async function ask(check: Check | undefined, ...questions: Question[]): Promise<Asked> {
  const mounted = await mountBox()
  let current = check
  let count = 0
  if (check !== undefined) {
    Object.assign(mounted.adapter, {
      checkApproval: ({ id, signal }: { id: string; signal: AbortSignal }) => {
        count++
        return current!(id, signal)
      },
    })
  }
  mounted.store.submit({ text: 'Do it.' })
  const asked = questions.length === 0 ? [{}] : questions
  mounted.adapter.say({ type: 'start', messageId: 'a' }, ...asked.flatMap(asks))
  await mounted.find('.argot-acts')
  return {
    ...mounted,
    lookAgain(next) {
      current = next
      window.dispatchEvent(new Event('focus'))
    },
    note() {
      const element = mounted.host.querySelector<HTMLElement>('[data-argot-check]')
      return { state: element?.dataset.argotCheck, text: element?.textContent }
    },
    firstChoice: () => mounted.host.querySelector('.argot-acts button')?.textContent,
    looks: () => count,
  }
}

const applies: Check = async () => ({ state: 'applies', at, diff })
const fails: Check = async () => ({ state: 'fails', at, problem })
const changed: Check = async () => ({ state: 'changed', at, diff: diff.replace('four', 'other') })

const stillApplies = { state: 'applies', text: 'Still applies, checked 14:02' }
const noLonger = { state: 'fails', text: `This no longer applies. ${problem}` }
const tell = 'Deny and ask for a new read'

/** Lets everything that is ready be drawn. */
async function frames(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
}

async function barriers(host: HTMLElement): Promise<string[]> {
  const { violations } = await axe.run(host, { resultTypes: ['violations'] })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

test('a card says that its edit still applies and when that was checked, and draws the diff with the lines of the file', async () => {
  const { host, note, firstChoice } = await ask(applies)
  await expect.poll(note).toEqual(stillApplies)
  expect(firstChoice()).toBe('Approve')
  await expect.poll(() => host.querySelector('.argot-approval .argot-diff')?.textContent).toContain('5')
  expect(await barriers(host)).toEqual([])
})

test('a file that changes meanwhile is noticed on focus: what fails is not drawn as a diff, and denied with its reason first', async () => {
  const { host, adapter, note, firstChoice, lookAgain } = await ask(applies)
  await expect.poll(note).toEqual(stillApplies)
  lookAgain(fails)
  await expect.poll(note).toEqual(noLonger)
  expect(firstChoice()).toBe(tell)
  expect(host.querySelector('.argot-approval .argot-diff')).toBeNull()
  expect(host.querySelector('.argot-approval [role=status]')!.textContent).toBe(noLonger.text)
  const names = [...host.querySelectorAll('.argot-acts button')].map(one => one.textContent)
  expect(names).toEqual([tell, 'Deny…', 'Edit input'])
  expect(await barriers(host)).toEqual([])
  await settled()
  await userEvent.click(await button(host, /^Deny and ask for a new read: /))
  await expect.poll(() => adapter.answers.length).toBe(1)
  expect(adapter.answers[0]).toMatchObject({ approved: false, reason: `${problem} Read the file again.` })
})

test('a call that would do something else says so and is not approved by a key; back as it was it can be', async () => {
  const { host, adapter, note, firstChoice, lookAgain } = await ask(changed)
  await expect.poll(() => note().state).toBe('changed')
  expect(note().text).toContain('A file has changed since you were asked')
  expect(firstChoice()).toBe(tell)
  await settled()
  host.querySelector<HTMLElement>('.argot-acts button')!.focus()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(adapter.answers).toEqual([])
  lookAgain(applies)
  await expect.poll(firstChoice).toBe('Approve')
  await settled()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.poll(() => adapter.answers.map(({ approved }) => approved)).toEqual([true])
})

test.each<[string, Check, Check, string]>([
  ['Approve', applies, fails, tell],
  ['Deny', fails, applies, 'Approve'],
])('who presses %s in the moment in which it becomes another answer gives none', async (_, before, after, label) => {
  const { host, adapter, firstChoice, lookAgain, note } = await ask(before)
  const first = await before('', new AbortController().signal)
  await expect.poll(() => note().state).toBe(first!.state)
  // In the moment in which it is there, however slow the machine is.
  const pressed = new Promise<void>(resolve => {
    const observer = new MutationObserver(() => {
      if (firstChoice() !== label) return
      observer.disconnect()
      host.querySelector<HTMLElement>('.argot-acts button')!.click()
      resolve()
    })
    observer.observe(host, { childList: true, subtree: true, characterData: true })
  })
  lookAgain(after)
  await pressed
  expect(adapter.answers).toEqual([])
  await settled()
  host.querySelector<HTMLElement>('.argot-acts button')!.click()
  await expect.poll(() => adapter.answers.length).toBe(1)
})

test('a call that would have failed when it was asked says so without a server that checks', async () => {
  const { note, firstChoice } = await ask(undefined, { facts: { check: { at, problem } } })
  await expect.poll(note).toEqual({ state: 'fails', text: `This would fail. ${problem}` })
  expect(firstChoice()).toBe(tell)
})

test('a check of another day says the day', async () => {
  const { note } = await ask(undefined, { facts: { check: { at: new Date(2024, 2, 5, 9, 7).getTime() }, diff } })
  await expect.poll(() => note().text).toBe('Still applies, checked Mar 5, 09:07')
})

const broken: [string, Check][] = [
  ['never comes', () => new Promise(() => {})],
  ['is refused', () => Promise.reject(new Error('away'))],
  [
    'throws',
    () => {
      throw new Error('no adapter')
    },
  ],
  ['is no promise', () => undefined as never],
  ['is not known', async () => ({ state: 'unknown', at })],
  ['is nothing', async () => undefined],
  ['is null', async () => null as never],
  ['is of another kind', async () => ({ state: '__proto__', at: 'soon', problem: {} }) as never],
]

test.each(broken)('a check that %s leaves what was known, and a later one counts', async (_, check) => {
  const { note, lookAgain, looks } = await ask(fails)
  await expect.poll(note).toEqual(noLonger)
  const before = looks()
  lookAgain(check)
  await expect.poll(looks).toBeGreaterThan(before)
  await frames()
  expect(note()).toEqual(noLonger)
  lookAgain(applies)
  await expect.poll(note).toEqual(stillApplies)
})

test('a check that comes after a newer one is not shown, and its request is given up', async () => {
  const { note, lookAgain } = await ask(applies)
  await expect.poll(note).toEqual(stillApplies)
  let late: (result: ChatApprovalCheck) => void = () => {}
  let signal: AbortSignal | undefined
  lookAgain((_, given) => {
    signal = given
    return new Promise(resolve => {
      late = resolve
    })
  })
  await expect.poll(() => signal).toBeDefined()
  lookAgain(fails)
  await expect.poll(note).toEqual(noLonger)
  expect(signal!.aborted).toBe(true)
  late({ state: 'applies', at, diff })
  await frames()
  expect(note()).toEqual(noLonger)
})

test('what a server says of a path is shown, and never obeyed', async () => {
  const hostile = 'The text is not in `a\u202Etxt.md\u0000<img src=x onerror=alert(1)>\u001b[2J`.'
  const { host, note, firstChoice } = await ask(async () => ({ state: 'fails', at, problem: hostile }))
  await expect.poll(() => note().state).toBe('fails')
  expect(note().text).toMatch(/\\u\{202e\}txt\.md.*<img src=x onerror=alert\(1\)>\\u\{1b\}\[2J/i)
  expect(note().text).not.toMatch(/[\u202e\u0000\u001b]/)
  expect(host.querySelector('.argot-approval img')).toBeNull()
  expect(firstChoice()).toBe(tell)
})

test('the two texts of an edit alone have no line numbers, those of a file have its own', async () => {
  const alone = await ask(undefined, { facts: {} })
  await alone.find('.argot-approval .argot-diff')
  await expect.poll(() => alone.host.querySelector('.argot-diff')!.textContent).toContain('five')
  expect(alone.host.querySelector('.argot-diff')!.textContent).not.toMatch(/\b[12]\b/)
  expect(alone.note().state).toBeUndefined()
  const known = await ask(applies)
  await known.find('.argot-approval .argot-diff')
  await expect.poll(() => known.host.querySelector('.argot-diff')!.textContent).toMatch(/2\s*two/)
})

test('a yes to all is for those that still do what they show', async () => {
  const check: Check = async (id, signal) => (id === 'question-c2' ? fails(id, signal) : applies(id, signal))
  const { host, adapter } = await ask(check, {}, { id: 'c2' }, { id: 'c3' })
  await userEvent.click(await button(host, /^Review/))
  await userEvent.click(await button(host, 'Approve all 2'))
  await expect.poll(() => adapter.answers.map(({ id }) => id)).toEqual(['question-c1', 'question-c3'])
})

test('a yes to all is not for a call of which something is left out, and that one keeps its choice', async () => {
  const { call: waiting } = approvals.find(({ id }) => id === 'parts')!
  const { input: patch, approval } = waiting as { input: object; approval: { facts: object } }
  const { host, adapter } = await ask(undefined, {}, { id: 'c2' }, { id: 'c3', input: patch, facts: approval.facts })
  await userEvent.click(await button(host, 'Leave out'))
  await button(host, /^Approve 1 of 2/)
  await userEvent.click(await button(host, /^Review/))
  await userEvent.click(await button(host, 'Approve all 2'))
  await expect.poll(() => adapter.answers.map(({ id }) => id)).toEqual(['question-c1', 'question-c2'])
  await userEvent.click(await button(host, /^Approve 1 of 2/))
  await expect.poll(() => adapter.answers.at(-1)).toMatchObject({ id: 'question-c3', approved: true, input: {} })
})
