import { visibleLine } from '@argot/core/stream/internal'
import { ChatProvider, ToolCard } from '@argot/react'
import type { ChatToolInvocationState } from '@argot/react/types'
import { expect, test, vi } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { button, found, mount } from './mount.tsx'

const states: readonly ChatToolInvocationState[] = [
  'input-streaming',
  'input-available',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
]

/** Inputs that differ in what the row already says of them. */
const inputs: [string, unknown][] = [
  ['one path', { path: 'a.ts' }],
  ['one command', { command: 'npm test' }],
  ['one query', { query: 'argot' }],
  ['two values', { path: 'a.ts', line: 3 }],
  ['no value', {}],
  ['one text', 'a.ts'],
  ['one number', 7],
  ['null', null],
  ['a list', ['a.ts', 'b.ts']],
]

function part(state: ChatToolInvocationState, input: unknown): object {
  return {
    type: 'tool-read_file',
    toolCallId: 'c',
    state,
    input,
    ...(state === 'output-available' && { output: 'the output' }),
    ...(state === 'output-error' && { errorText: 'the error' }),
    ...(state === 'output-denied' && { approval: { id: 'p', approved: false } }),
    ...(state === 'approval-responded' && { approval: { id: 'p', approved: true } }),
  }
}

test('the state alone says which sections there are, whatever the input is', async () => {
  for (const state of states) {
    const { host, render } = mount(null)
    for (const [name, input] of inputs) {
      render(<ToolCard key={name} part={part(state, input)} defaultExpanded={{ '*': true }} />)
      await found(host, '[data-section=input]')
      const hasOutput = state === 'output-available' || state === 'output-error'
      await expect.poll(() => host.querySelectorAll('[data-section=output]').length).toBe(hasOutput ? 1 : 0)
      // A tool that was denied never had an output.
      expect(host.querySelectorAll('[data-section=input]'), `${state} ${name}`).toHaveLength(1)
    }
  }
})

test.each(inputs.filter(([name]) => name.startsWith('one ')))(
  'the input of a finished call with %s can be opened and copied',
  async (_, input) => {
    const copied: string[] = []
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async text => void copied.push(text))
    const { host } = mount(<ToolCard part={part('output-available', input)} />)
    ;(await found(host, '[data-argot-summary]')).click()
    const opener = await found(host, '[data-section=input] > button')
    expect(opener.getAttribute('aria-expanded')).toBe('false')
    opener.click()
    const copy = await found(host, '[data-section=input] .argot-box-head button[aria-label^="Copy"]')
    copy.click()
    await expect.poll(() => copied).toHaveLength(1)
    const value = typeof input === 'object' ? Object.values(input as object)[0] : input
    expect(copied[0]).toContain(String(value))
    write.mockRestore()
  },
)

test.each([
  ['alone', (card: React.ReactNode) => card],
  [
    'in a provider without a chat box',
    (card: React.ReactNode) => <ChatProvider adapter={new ScriptedAdapter()}>{card}</ChatProvider>,
  ],
])('a card %s announces politely, once, what came of its call', async (_, around) => {
  const { host, render } = mount(around(<ToolCard part={part('input-available', { path: 'a.ts' })} />))
  const region = await found(host, '[aria-live=polite]')
  const said: string[] = []
  new MutationObserver(() => said.push(region.textContent)).observe(region, {
    childList: true,
    subtree: true,
    characterData: true,
  })
  const preview = { ...part('output-available', { path: 'a.ts' }), preliminary: true }
  render(around(<ToolCard part={preview} />))
  await expect.poll(() => host.querySelector('[data-stage=running]')).not.toBeNull()
  expect(said).toEqual([])
  render(around(<ToolCard part={part('output-available', { path: 'a.ts' })} />))
  await expect.poll(() => said).toEqual(['Read a.ts, the output, done'])
})

test('a card of a call that was over before announces nothing', async () => {
  const { host } = mount(<ToolCard part={part('output-available', { path: 'a.ts' })} />)
  await button(host, /^Read/)
  expect(host.querySelector('[aria-live]')!.textContent).toBe('')
})

/** Paths with what hides, with escapes as a person may write them, and so long that they are cut. */
const paths = [
  'src/\u202etxt.exe',
  'a\u200b/b.ts',
  String.raw`C:\u{202e}\notes.txt`,
  'one/\ttab.ts',
  'line\nbreak/b.ts',
  `${'long/'.repeat(36)}\u202e\u202e\u202e\u202e/name.ts`,
  'plain/path.ts',
]

test.each(paths)('the head of an output writes out a hidden character of %j once, as the row does', async path => {
  const { host } = mount(<ToolCard part={part('output-available', { path })} />)
  const row = await found(host, '[data-argot-summary]')
  row.click()
  const head = await found(host, '[data-section=output] .argot-box-head')
  const name = (head.querySelector('.argot-mid') ?? head.querySelector('.argot-box-name'))!.textContent
  if (!path.includes('\\')) expect(name).not.toContain(String.raw`\u{5c}`)
  if (path.length < 100 && !/\s/.test(path)) expect(name).toBe(visibleLine(path))
  if (path.length < 100) expect(row.querySelector('.argot-subject')!.textContent).toBe(name)
})

test('while an input streams, the head of its text writes out a hidden character once', async () => {
  const path = 'src/\u202etxt.exe'
  const { host } = mount(<ToolCard part={part('input-streaming', { path, content: 'const' })} />)
  const name = await found(host, '.argot-box-head .argot-mid')
  expect(name.textContent).toBe(visibleLine(path))
  expect(host.querySelectorAll('.argot-box')).toHaveLength(1)
})
