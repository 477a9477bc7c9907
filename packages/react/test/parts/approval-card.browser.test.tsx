import type { ToolInvocation } from '@argot/core'
import type { ToolApproval } from '@argot/core/stream/internal'
import { ToolCard } from '@argot/react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, found, mount, settled } from './mount.tsx'

const asking: ToolInvocation = {
  key: 'c',
  toolCallId: 'c',
  toolName: 'run',
  state: 'approval-requested',
  input: { command: 'npm test', timeout: 60 },
  approval: { id: 'question-1' },
}

/** A card that asks, and the answers that were given. */
function ask(call: ToolInvocation = asking) {
  const answers: object[] = []
  const { host, render } = mount(
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation: call }}
      message={{ status: 'streaming' }}
      addToolApprovalResponse={answer => void answers.push(answer)}
    />,
  )
  return { host, answers, render }
}

test('the whole input is there, as what it is', async () => {
  const { host } = ask()
  expect((await found(host, '.argot-title')).textContent).toBe('Run npm test?')
  expect(host.querySelector('.argot-command')!.textContent).toContain('npm test')
  expect(host.querySelector('.argot-pairs')!.textContent).toContain('60')
  expect(host.querySelector('.argot-why')!.textContent).toBe("Needs you · runs a command · can't be undone")
})

test('without a diff, every file that would be changed is named', async () => {
  const paths = Array.from({ length: 30 }, (_, index) => `file-${index}.ts`)
  const changes = paths.map(path => ({ path, operation: 'update' }))
  const approval = { id: 'question-1', facts: { effect: 'write', changes } } as unknown as ToolApproval
  const { host } = ask({ ...asking, toolName: 'apply_patch', input: { patch: 'long' }, approval })
  await found(host, '.argot-title')
  expect(paths.filter(path => !host.textContent.includes(`Changes ${path}.`))).toEqual([])
})

test('where nobody takes an answer, the card says why its buttons are off', async () => {
  const part = { type: 'dynamic-tool', toolInvocation: asking } as const
  const { host, render } = mount(<ToolCard part={part} />)
  expect((await button(host, 'Approve: run npm test')).disabled).toBe(true)
  expect(host.textContent).toContain("it can't be answered here")
  render(<ToolCard part={part} addToolApprovalResponse={() => undefined} />)
  await expect.poll(() => host.textContent).not.toContain("it can't be answered here")
  expect((await button(host, 'Approve: run npm test')).disabled).toBe(false)
})

test('buttons name their call', async () => {
  const { host } = ask()
  await button(host, 'Approve: run npm test')
  await button(host, 'Deny…: run npm test')
  await button(host, 'Edit input: run npm test')
})

test('Approve answers, and focus goes to the row', async () => {
  const { host, answers } = ask()
  const approve = await button(host, 'Approve: run npm test')
  approve.focus()
  approve.click()
  const row = await found(host, '.argot-row')
  expect(answers).toEqual([{ id: 'question-1', approved: true }])
  expect(row.getAttribute('aria-label')).toBe('Will run npm test, approved by you')
  expect(document.activeElement).toBe(row)
})

test('Deny… asks why; Enter denies, without a text too', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Deny…: run npm test')).click()
  const field = await found<HTMLInputElement>(host, 'input[type=text]')
  await expect.poll(() => document.activeElement).toBe(field)
  await settled()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => answers).toEqual([{ id: 'question-1', approved: false }])
  const row = await found(host, '.argot-row')
  expect(document.activeElement).toBe(row)
})

test('a reason goes with the denial, and Escape takes the field away', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Deny…: run npm test')).click()
  await found(host, 'input[type=text]')
  await userEvent.keyboard('{Escape}')
  ;(await button(host, 'Deny…: run npm test')).click()
  await found(host, 'input[type=text]')
  await settled()
  await userEvent.keyboard('Not now{Enter}')
  await expect.poll(() => answers).toEqual([{ id: 'question-1', approved: false, reason: 'Not now' }])
})

test('Ctrl Enter approves from inside the card, but not at once', async () => {
  const { host, answers } = ask()
  // In the moment in which it is there, however slow the machine is.
  await new Promise<void>(resolve => {
    const observer = new MutationObserver(() => {
      const edit = host.querySelector<HTMLElement>('[aria-label="Edit input: run npm test"]')
      if (edit === null) return
      observer.disconnect()
      edit.focus()
      edit.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }))
      resolve()
    })
    observer.observe(host, { childList: true, subtree: true })
  })
  expect(answers).toEqual([])
  await settled()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.poll(() => answers).toEqual([{ id: 'question-1', approved: true }])
})

test('Ctrl Shift Enter inside a card answers nothing', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Approve: run npm test')).focus()
  await settled()
  await userEvent.keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}')
  await userEvent.keyboard('{Control>}{Alt>}{Enter}{/Alt}{/Control}')
  expect(answers).toEqual([])
  expect(host.querySelector('.argot-approval')).not.toBeNull()
})

test('no key approves from the fields of an input; leaving a form goes back to the button that opened it', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Edit input: run npm test')).click()
  await found(host, '.argot-form .argot-field')
  await settled()
  await userEvent.keyboard(' --watch{Enter}{Control>}{Enter}{/Control}')
  expect(answers).toEqual([])
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Edit input: run npm test')
  ;(await button(host, 'Deny…: run npm test')).click()
  await found(host, 'input[type=text]')
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Deny…: run npm test')
  expect(answers).toEqual([])
})

test('no key approves from a field whose text was changed', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Deny…: run npm test')).click()
  await found(host, 'input[type=text]')
  await settled()
  await userEvent.keyboard('because{Control>}{Enter}{/Control}')
  await settled()
  expect(answers.filter(answer => 'approved' in answer && answer.approved)).toEqual([])
})

test('an edited input is sent, and the row says that it was edited', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Edit input: run npm test')).click()
  const field = await found<HTMLInputElement>(host, '.argot-form .argot-field')
  await userEvent.fill(field, 'npm run lint')
  await expect.poll(() => host.textContent).toContain('command · edited')
  expect(host.textContent).toContain('The model wrote npm test')
  ;(await button(host, 'Approve with changes')).click()
  const row = await found(host, '.argot-row')
  expect(answers).toEqual([{ id: 'question-1', approved: true, input: { command: 'npm run lint', timeout: 60 } }])
  expect(row.getAttribute('aria-label')).toContain('Will run npm run lint as you changed it')
})

test('what was changed can be put back, and what cannot be read is not sent', async () => {
  const { host, answers } = ask()
  ;(await button(host, 'Edit input: run npm test')).click()
  const number = await found<HTMLInputElement>(host, 'input[inputmode=decimal]')
  await userEvent.fill(number, 'soon')
  ;(await button(host, 'Approve with changes')).click()
  await expect.poll(() => host.querySelector('[role=alert]')?.textContent).toContain('timeout')
  expect(answers).toEqual([])
  ;(await button(host, 'Put it back')).click()
  await button(host, 'Approve')
  expect(number.value).toBe('60')
})

test('Always says what is allowed and until when', async () => {
  const { host, answers } = ask({
    ...asking,
    approval: { id: 'question-1', facts: { always: 'npm test with any arguments' } },
  })
  ;(await button(host, 'Always in this run')).click()
  const item = await found(host, '[role=menuitem]')
  expect(item.textContent).toBe('npm test with any argumentsUntil this run ends')
  expect(document.activeElement).toBe(item)
  item.click()
  await expect.poll(() => answers).toEqual([{ id: 'question-1', approved: true, always: true }])
})

test('Escape closes the menu and goes back to its button', async () => {
  const { host } = ask()
  const always = await button(host, 'Always in this run')
  always.click()
  await found(host, '[role=menuitem]')
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => host.querySelector('[role=menuitem]')).toBeNull()
  expect(document.activeElement).toBe(always)
})

test('an input that is cut says so in the button until all of it is shown', async () => {
  const content = 'a line\n'.repeat(1240)
  const { host } = ask({ ...asking, toolName: 'write_file', input: { path: 'a.txt', content } })
  await button(host, 'Approve (1,200 lines not shown): write a.txt')
  ;(await button(host, /^Show all 1,240 lines/)).click()
  await button(host, 'Approve: write a.txt')
})

test('an answer that is refused can be given again', async () => {
  const { host } = mount(
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation: asking }}
      addToolApprovalResponse={() => Promise.reject(new Error('the run is over'))}
    />,
  )
  ;(await button(host, 'Approve: run npm test')).click()
  await expect.poll(() => host.textContent).toContain('This answer was not accepted: the run is over')
  await button(host, 'Approve: run npm test')
})

test('an answer that was given elsewhere takes the place of the card', async () => {
  const { host, render } = ask()
  await found(host, '.argot-approval')
  const answered: ToolInvocation = {
    ...asking,
    state: 'approval-responded',
    approval: { id: 'question-1', approved: true, by: 'Ada' },
  }
  render(<ToolCard part={{ type: 'dynamic-tool', toolInvocation: answered }} message={{ status: 'streaming' }} />)
  await expect.poll(() => host.querySelector('.argot-row')?.getAttribute('aria-label')).toContain('approved by Ada')
  expect(host.querySelector('.argot-approval')).toBeNull()
})

test('a call that is done says who approved it and when, as far as that is known', async () => {
  const done = (approval: Omit<ToolApproval, 'id' | 'approved'>) => (
    <ToolCard
      part={{
        type: 'dynamic-tool',
        toolInvocation: {
          ...asking,
          state: 'output-available',
          output: 'ok',
          approval: { id: 'q', approved: true, ...approval },
        },
      }}
    />
  )
  const at = new Date(2026, 0, 2, 14, 2, 11).getTime()
  const { host, render } = mount(done({ by: 'local', at }))
  const under = async (): Promise<string | null> => (await found(host, '.argot-under')).textContent
  expect(await under()).toBe('Approved by you, 14:02:11')
  render(done({ by: 'Ada', at }))
  await expect.poll(under).toBe('Approved by Ada, 14:02:11')
  render(done({ by: 'Ada' }))
  await expect.poll(under).toBe('Approved by Ada')
})

test('a question of the model is answered by an option or by a text', async () => {
  const outputs: object[] = []
  const call: ToolInvocation = {
    key: 'q',
    toolCallId: 'q',
    toolName: 'ask_user',
    state: 'input-available',
    input: { question: 'Which?', options: ['Both', { label: 'One' }] },
  }
  const element = (key: string) => (
    <ToolCard
      key={key}
      part={{ type: 'dynamic-tool', toolInvocation: { ...call } }}
      addToolOutput={output => void outputs.push(output)}
    />
  )
  const { host, render } = mount(element('a'))
  expect((await found(host, '.argot-title')).textContent).toBe('Which?')
  ;(await button(host, 'One')).click()
  await expect.poll(() => outputs).toEqual([{ tool: 'ask_user', toolCallId: 'q', output: 'One' }])
  render(element('b'))
  const field = await found<HTMLInputElement>(host, 'input[type=text]')
  await userEvent.fill(field, 'neither')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => outputs.at(-1)).toEqual({ tool: 'ask_user', toolCallId: 'q', output: 'neither' })
})

test('a tree that is to be judged is open to its last level, and what is cut is counted', async () => {
  const levels = [
    { name: 'a', rules: { keep: 3 } },
    { name: 'b', rules: { keep: 'x'.repeat(3000) } },
  ]
  const { host } = ask({ ...asking, toolName: 'rotate_index', input: { date: '2026-11-16', levels } })
  const tree = await found(host, '.argot-tree')
  await expect.poll(() => tree.textContent).toContain(`keep"${'x'.repeat(3000)}"`)
  expect([...host.querySelectorAll('.argot-branch')].map(one => one.getAttribute('aria-expanded'))).toEqual(
    Array.from({ length: 5 }, () => 'true'),
  )
  expect(host.querySelector('.argot-acts button')!.textContent).toBe('Approve')
})

test('of a tree of more than 40 lines the button says how many are not shown, until all of it is', async () => {
  const items = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key${index}`, [index]]))
  const { host } = ask({ ...asking, toolName: 'configure', input: items })
  await found(host, '.argot-tree')
  expect(host.querySelector('.argot-acts button')!.textContent).toBe('Approve (80 lines not shown)')
  await userEvent.click(await button(host, 'Show everything'))
  await expect.poll(() => host.querySelector('.argot-acts button')!.textContent).toBe('Approve')
  await expect.poll(() => host.querySelector('.argot-tree')!.textContent).toContain('key59')
})
