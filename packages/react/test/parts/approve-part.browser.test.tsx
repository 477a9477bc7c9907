import type { ToolInvocation } from '@argot/core'
import type { EditPart } from '@argot/core/stream/internal'
import { ToolCard } from '@argot/react'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import approvals from '../../../../fixtures/calls/approvals.json' with { type: 'json' }
import { button, found, mount, settled } from './mount.tsx'

const asking = approvals.find(({ id }) => id === 'parts')!.call as unknown as ToolInvocation<string, { patch: string }>
const facts = asking.approval!.facts!
const name = 'edit src/log/reader.ts'

function ask(call: ToolInvocation = asking) {
  const answers: object[] = []
  const { host } = mount(
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation: call }}
      message={{ status: 'streaming' }}
      addToolApprovalResponse={answer => void answers.push(answer)}
    />,
  )
  return { host, answers }
}

/** What each change says, and which of its two buttons is pressed. */
function choices(host: Element): string[] {
  return [...host.querySelectorAll('.argot-choice')].map(group => {
    const pressed = [...group.querySelectorAll('[aria-pressed="true"]')].map(one => one.textContent)
    return `${group.getAttribute('aria-label')}: ${pressed.join()}`
  })
}

test('with the keyboard alone a change is left out, and the yes is for the others', async () => {
  const { host, answers } = ask()
  await button(host, `Approve: ${name}`)
  await found(host, '.argot-diff')
  expect((await found(host, '.argot-title')).textContent).toBe('Edit src/log/reader.ts? 2 changes')
  const both = ['src/log/reader.ts, line 41: Keep', 'src/log/reader.ts, line 88: Keep']
  expect(choices(host)).toEqual(both)
  expect((await axe.run(host)).violations).toEqual([])
  await settled()
  // Fold, Keep, Leave out, and those of the second change.
  const press = async (label: string, index: number, key: string): Promise<void> => {
    const target = [...host.querySelectorAll('.argot-choice')][index]!.querySelectorAll('button')
    const one = [...target].find(({ textContent }) => textContent === label)!
    for (let turn = 0; document.activeElement !== one && turn < 30; turn++) await userEvent.keyboard('{Tab}')
    expect(document.activeElement).toBe(one)
    await userEvent.keyboard(key)
    expect(document.activeElement).toBe(one)
  }
  document.body.focus()
  await press('Leave out', 1, ' ')
  await button(host, `Approve 1 of 2: ${name}`)
  expect(choices(host)[1]).toBe('src/log/reader.ts, line 88: Leave out')
  // These are about all of the input.
  expect(host.textContent).not.toContain('Edit input')
  expect(host.textContent).not.toContain('Always')
  await press('Leave out', 0, '{Enter}')
  expect((await button(host, `Approve 0 of 2: ${name}`)).disabled).toBe(true)
  expect(host.textContent).toContain('Every change is left out. Keep one, or deny the call.')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(answers).toEqual([])
  await press('Keep', 0, ' ')
  await button(host, `Approve 1 of 2: ${name}`)
  expect((await axe.run(host)).violations).toEqual([])
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  const lines = asking.input!.patch.split('\n')
  const patch = [...lines.slice(0, 5), '*** End Patch'].join('\n')
  await expect.poll(() => answers).toEqual([{ id: 'a30', approved: true, input: { patch } }])
})

test('all changes kept are the call as it is', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Leave out')).click()
  ;(await button(host, `Approve 1 of 2: ${name}`)) satisfies HTMLButtonElement
  ;(await button(host, 'Keep')).click()
  ;(await button(host, `Approve: ${name}`)).click()
  await expect.poll(() => answers).toEqual([{ id: 'a30', approved: true }])
})

const [first, second] = facts.parts as [EditPart, EditPart]
const hostile: Record<string, unknown> = {
  'one part': [first],
  'parts that overlap': [first, { ...second, lines: [4, 9] }],
  'parts that end after the text': [first, { ...second, lines: [5, 99] }],
  'parts in another order': [second, first],
  'a line that no part shows': [first, { ...second, diff: second.diff.replace('-  log(offset)\n', '') }],
  'a line that only a part shows': [
    first,
    { ...second, diff: second.diff.replace('   return', '+  evil()\n   return') },
  ],
  'a part that is no diff': [first, { ...second, diff: 'rm -rf /' }],
  'a part of another field': [first, { ...second, key: 'other' }],
  'lines that are no numbers': [first, { ...second, lines: ['5', '9'] }],
  'no list': { 0: first, 1: second, length: 2 },
}

test('parts that do not show the whole edit are not offered', async () => {
  for (const [what, parts] of Object.entries(hostile)) {
    const broken = { ...asking, approval: { id: 'a30', facts: { ...facts, parts } } } as unknown as ToolInvocation
    const { host, answers } = ask(broken)
    ;(await button(host, `Approve: ${name}`)).click()
    expect(host.querySelector('.argot-choice'), what).toBeNull()
    await expect.poll(() => answers).toEqual([{ id: 'a30', approved: true }])
  }
})

test('an edit that does not apply any more has no parts to choose', async () => {
  const check = { ...facts.check!, problem: 'The lines are not there.' }
  const { host } = ask({ ...asking, approval: { id: 'a30', facts: { ...facts, check } } })
  await button(host, /^Deny and ask for a new read/)
  expect(host.querySelector('.argot-choice')).toBeNull()
})
