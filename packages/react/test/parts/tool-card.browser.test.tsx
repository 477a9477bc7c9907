import type { ToolInvocation, ToolState } from '@argot/core'
import { ToolCard } from '@argot/react'
import type { DefaultExpanded } from '@argot/react/types'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, found, mount } from './mount.tsx'

function call(toolName: string, state: ToolState, fields: Partial<ToolInvocation> = {}): ToolInvocation {
  return { key: 'c', toolCallId: 'c', toolName, state, input: { path: 'src/a.ts' }, ...fields }
}

function Card({ call, ...rest }: { call: ToolInvocation; defaultExpanded?: DefaultExpanded; isStreaming?: boolean }) {
  const { isStreaming, defaultExpanded } = rest
  return (
    <ToolCard
      part={{ type: 'dynamic-tool', toolInvocation: call }}
      message={{ status: isStreaming === true ? 'streaming' : 'sent' }}
      defaultExpanded={defaultExpanded}
    />
  )
}

const done = call('read_file', 'output-available', { output: 'one\ntwo\nthree\nfour\nfive\nsix\n' })

test('a row is one button that is named by its sentence', async () => {
  const { host } = mount(<Card call={done} />)
  const row = await button(host, 'Read src/a.ts, 6 lines, done')
  expect(row.getAttribute('aria-expanded')).toBe('false')
  expect(host.querySelectorAll('button').length).toBe(1)
})

test('a closed body is not mounted', async () => {
  const { host } = mount(<Card call={done} />)
  const row = await found(host, '.argot-row')
  expect(host.textContent).not.toContain('three')
  row.click()
  await expect.poll(() => host.textContent).toContain('three')
  row.click()
  await expect.poll(() => host.textContent).not.toContain('three')
})

test.each([
  ['ltr', '{ArrowRight}', '{ArrowLeft}'],
  ['rtl', '{ArrowLeft}', '{ArrowRight}'],
])('Enter, Space and the arrows open and close a row, in %s', async (direction, open, close) => {
  const { host } = mount(<Card call={done} />)
  host.dir = direction
  const row = await found(host, '.argot-row')
  row.focus()
  const isOpen = () => row.getAttribute('aria-expanded')
  for (const [key, expected] of [
    ['{Enter}', 'true'],
    ['{Enter}', 'false'],
    [' ', 'true'],
    [' ', 'false'],
    [open, 'true'],
    [open, 'true'],
    [close, 'false'],
    [close, 'false'],
  ] as const) {
    await userEvent.keyboard(key)
    await expect.poll(isOpen).toBe(expected)
  }
  expect(document.activeElement).toBe(row)
})

test.each([
  [
    'of the AI SDK',
    {
      type: 'tool-get_weather',
      toolCallId: '1',
      state: 'output-available',
      input: { city: 'Paris' },
      output: { t: 22 },
    },
  ],
  [
    'of the AI SDK, dynamic',
    {
      type: 'dynamic-tool',
      toolName: 'get_weather',
      toolCallId: '1',
      state: 'output-available',
      input: { city: 'Paris' },
      output: { t: 22 },
    },
  ],
  [
    'of MUI X Chat',
    {
      type: 'tool',
      toolInvocation: {
        toolCallId: '1',
        toolName: 'get_weather',
        state: 'output-available',
        input: { city: 'Paris' },
        output: { t: 22 },
      },
    },
  ],
])('a part %s is a card', async (_, part) => {
  const { host } = mount(<ToolCard part={part} />)
  const row = await found(host, '.argot-row')
  await expect.poll(() => row.getAttribute('aria-label')).toBe('Got weather Paris, t 22, done')
})

test('a part that is not a call is nothing', async () => {
  const { host } = mount(
    <>
      <ToolCard part={{ type: 'text', text: 'hello' }} />
      <p>after</p>
    </>,
  )
  await found(host, 'p')
  expect(host.textContent).toBe('after')
})

test('the first three lines of an error are there without a click', async () => {
  const failed = call('read_file', 'output-error', { errorText: 'one\ntwo\nthree\nfour' })
  const { host } = mount(<Card call={failed} />)
  expect((await found(host, '.argot-under')).textContent).toBe('one\ntwo\nthree')
})

test('an error keeps its white space, has code for backticks and no escapes of a terminal, closed and open', async () => {
  const errorText = 'Not a `path`:\n  a ` b\n      \u001b[31m^\u001b[39m here'
  const { host } = mount(<Card call={call('read_file', 'output-error', { errorText })} />)
  const under = await found(host, '.argot-under')
  expect(under.textContent).toBe('Not a path:\n  a ` b\n      ^ here')
  expect(under.querySelector('code')?.textContent).toBe('path')
  host.querySelector<HTMLElement>('.argot-row')!.click()
  const error = await found(host, '.argot-error')
  expect(error.textContent).toBe('Not a `path`:\n  a ` b\n      ^ here')
  expect(error.querySelector('.argot-ansi-red')?.textContent).toBe('^')
})

test('the last line before a stop has no escapes of a terminal', async () => {
  const stopped = { settledBy: 'abort', errorText: 'x', output: 'one\n\u001b[2K\u001b[32mtwo\u001b[0m\r\n' } as const
  const { host } = mount(<Card call={call('run', 'output-error', stopped)} />)
  expect((await found(host, '.argot-under')).textContent).toBe('two')
})

test('a call that a policy refused says why, not that you denied it', async () => {
  const errorText = "`run` didn't run: its approval policy is `none`, which allows no call."
  const resultProviderMetadata = { argot: { code: 'TOOL_NOT_ALLOWED' } }
  const { host } = mount(
    <Card call={call('run', 'output-error', { input: { command: 'ls' }, errorText, resultProviderMetadata })} />,
  )
  const row = await button(host, 'Not run ls, not approved, denied')
  expect(host.textContent).toContain("run didn't run: its approval policy is none")
  row.click()
  await found(host, '.argot-error')
  expect(host.textContent).not.toContain('by you')
  expect(host.textContent).not.toContain('You')
})

test('the reason of a denial is there without a click, and the input behind one', async () => {
  const denied = call('run', 'output-denied', {
    input: { command: 'npm publish' },
    approval: { id: 'a', approved: false, reason: 'Not yet.' },
  })
  const { host } = mount(<Card call={denied} />)
  expect((await found(host, '.argot-under')).textContent).toContain('Not yet.')
  ;(await found(host, '.argot-row')).click()
  expect((await found(host, '.argot-command')).textContent).toContain('npm publish')
})

test('without a policy a card opens while its input streams, and never closes by itself', async () => {
  const { host, render } = mount(<Card call={call('write_file', 'input-streaming')} isStreaming />)
  const row = await found(host, '.argot-row')
  expect(row.getAttribute('aria-expanded')).toBe('true')
  render(<Card call={call('write_file', 'output-available', { output: 'ok' })} />)
  await expect.poll(() => row.getAttribute('aria-label')).toContain('Wrote')
  expect(row.getAttribute('aria-expanded')).toBe('true')
})

const whileRunning: DefaultExpanded = {
  write: ({ section, state }) => (section ? undefined : state === 'input-streaming' || state === 'input-available'),
}

test('a policy closes a card when its tool ends, and focus inside goes to the summary', async () => {
  const input = { path: 'a.ts', contents: 'one\ntwo' }
  const show = (state: ToolState, output?: string) => (
    <Card call={call('write', state, { input, output })} defaultExpanded={whileRunning} isStreaming />
  )
  const { host, render } = mount(show('input-available'))
  ;(await button(host, /^Copy/)).focus()
  render(show('output-available', 'ok'))
  const row = await found(host, '.argot-row[aria-expanded=false]')
  expect(document.activeElement).toBe(row)
})

test('focus elsewhere stays where it is when a policy closes a card', async () => {
  const { host, render } = mount(<Card call={call('write', 'input-available')} defaultExpanded={whileRunning} />)
  await found(host, '.argot-row[aria-expanded=true]')
  const elsewhere = document.body.appendChild(document.createElement('input'))
  elsewhere.focus()
  render(<Card call={call('write', 'output-available', { output: 'ok' })} defaultExpanded={whileRunning} />)
  await found(host, '.argot-row[aria-expanded=false]')
  expect(document.activeElement).toBe(elsewhere)
  elsewhere.remove()
})

test.each<[string, string, DefaultExpanded, boolean]>([
  ['an exact name', 'search', { search: true }, true],
  ['a fallback', 'search', { '*': true }, true],
  ['an exact name over the fallback', 'search', { search: () => undefined, '*': true }, false],
  ['no pattern', 'write_file', { 'write*': true }, false],
  ['a tool called constructor', 'constructor', { '*': () => undefined }, false],
  ['a tool called constructor with an entry', 'constructor', { constructor: true } as unknown as DefaultExpanded, true],
  ['a tool called __proto__', '__proto__', { '*': true }, true],
  ['a tool called hasOwnProperty', 'hasOwnProperty', {}, false],
  [
    'a resolver that throws',
    'search',
    {
      search: () => {
        throw new Error('no')
      },
    },
    false,
  ],
])('a policy with %s', async (_, toolName, defaultExpanded, isOpen) => {
  const { host } = mount(
    <Card call={call(toolName, 'output-available', { output: 'ok' })} defaultExpanded={defaultExpanded} />,
  )
  expect((await found(host, '.argot-row')).getAttribute('aria-expanded')).toBe(String(isOpen))
})

test('a policy can close a section and leave the card open', async () => {
  const policy: DefaultExpanded = { '*': ({ section }) => section !== 'output' }
  const { host } = mount(
    <Card
      call={call('search', 'output-available', {
        input: { query: 'a', limit: 3 },
        output: 'found it\nin three\nlines',
      })}
      defaultExpanded={policy}
    />,
  )
  const section = await found(host, '[data-section=output] > button')
  expect(section.getAttribute('aria-expanded')).toBe('false')
  expect(host.textContent).not.toContain('in three')
  section.click()
  await expect.poll(() => host.textContent).toContain('in three')
})

test('names, inputs and outputs that are HTML or scripts are text', async () => {
  const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
  const { host } = mount(
    <>
      <Card
        call={call(evil, 'output-available', {
          title: evil,
          input: { path: evil, __proto__: 1 },
          output: { html: evil },
        })}
        defaultExpanded={{ '*': true }}
      />
      <Card
        call={call('x', 'output-available', {
          output: `[a](javascript:window.hacked=1) ${evil}\n\n![b](https://example.com/b.png)`,
          details: { format: 'markdown' },
        })}
        defaultExpanded={{ '*': true }}
      />
      <Card call={call('x', 'output-error', { errorText: evil })} defaultExpanded={{ '*': true }} />
    </>,
  )
  await found(host, '.argot-prose')
  await expect.poll(() => host.textContent).toContain('example.com')
  expect(host.querySelector('script, [onerror], a[href^="javascript"], img[src^="http"]')).toBeNull()
  expect((window as { hacked?: unknown }).hacked).toBeUndefined()
})

test('an output of 5 MB is cut until somebody asks, and then drawn in blocks', async () => {
  const output = 'a line of some length that is repeated very often\n'.repeat(100_000)
  const { host } = mount(<Card call={call('read_file', 'output-available', { output })} />)
  ;(await found(host, '.argot-row')).click()
  const all = await button(host, /^Show all 100,000 lines · 5\.0 MB/)
  expect(host.textContent!.length).toBeLessThan(5000)
  all.click()
  await expect.poll(() => host.querySelectorAll('.argot-block').length).toBeGreaterThan(200)
  ;(await button(host, 'Show less')).click()
  await expect.poll(() => host.textContent!.length).toBeLessThan(5000)
})

test('of an input of 1 MB that still streams, the first 2 kB and the newest 98 kB are there', async () => {
  const content = `first${'x'.repeat(1_000_000)}newest`
  const { host } = mount(
    <Card call={call('write_file', 'input-streaming', { input: { path: 'a', content } })} isStreaming />,
  )
  await expect.poll(() => host.textContent).toContain('newest')
  expect(host.textContent).toContain('first')
  expect(host.textContent!.length).toBeLessThan(101_000)
})

test('what is copied is the value, also where the page has no clipboard', async () => {
  const copied: string[] = []
  const clipboard = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard')!
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })
  const listen = () => copied.push((document.activeElement as HTMLTextAreaElement).value)
  document.addEventListener('copy', listen)
  try {
    const { host } = mount(
      <Card call={call('x', 'output-available', { output: { a: [1] } })} defaultExpanded={{ '*': true }} />,
    )
    const copy = await button(host, 'Copy result')
    await userEvent.click(copy)
    await expect.poll(() => copied).toEqual(['{\n  "a": [\n    1\n  ]\n}'])
    expect(document.activeElement).toBe(copy)
  } finally {
    document.removeEventListener('copy', listen)
    Object.defineProperty(navigator, 'clipboard', clipboard)
  }
})
