import type { Message, ToolInvocation } from '@argot/core'
import { InlineToolWidget, Markdown } from '@argot/react'
import { expect, test } from 'vitest'
import { PartBoundary } from '../../src/bodies/part-boundary.tsx'
import { button, found, mount } from './mount.tsx'

function boxes(host: Element): string[] {
  return [...host.querySelectorAll('*')].map(element => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [element.tagName, x, y, width, height].join(' ')
  })
}

const text =
  "I'll look at the `parser` once more before I touch it, because **two** places take one off.\n\n- one\n- two"
function Text({ phase }: { phase: string }) {
  return (
    <div className="argot argot-pane">
      <div className="argot-column">
        <div className="argot-rail">
          <div className={phase === 'commentary' ? 'argot-text argot-commentary' : 'argot-text'}>
            <Markdown text={text} isStreaming={phase === 'pending'} />
          </div>
          <p>after</p>
        </div>
      </div>
    </div>
  )
}

function Throws(): never {
  throw new Error('from a renderer')
}

test('text that becomes commentary changes its colour, and nothing moves', async () => {
  const { host, render } = mount(<Text phase="pending" />)
  await found(host, 'li')
  const before = boxes(host)
  const colour = getComputedStyle(host.querySelector('.argot-text')!).color
  render(<Text phase="commentary" />)
  await found(host, '.argot-commentary')
  await expect.poll(() => getComputedStyle(host.querySelector('.argot-text')!).color).not.toBe(colour)
  expect(boxes(host)).toEqual(before)
})

test('finished blocks of Markdown are the same elements while a text grows', async () => {
  const { host, render } = mount(<Markdown text={'First *paragraph*.\n\nSecond'} isStreaming />)
  const first = await found(host, '.argot-prose em')
  render(<Markdown text={'First *paragraph*.\n\nSecond paragraph, **bo'} isStreaming />)
  await expect.poll(() => host.querySelector('strong')?.textContent).toBe('bo')
  expect(host.querySelector('em')).toBe(first)
})

test('the half-written row of a table is inside the table', async () => {
  const { host } = mount(<Markdown text={'| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 |'} isStreaming />)
  await found(host, 'table')
  expect(host.querySelectorAll('tbody tr').length).toBe(2)
  expect(host.querySelector('.argot-prose > p')).toBeNull()
})

test('a link to a script is not a link, and HTML is text', async () => {
  const { host } = mount(<Markdown text={'[a](javascript:alert(1)) <b onclick="x()">b</b> [c](https://example.com)'} />)
  const link = await found<HTMLAnchorElement>(host, 'a')
  expect(link.href).toBe('https://example.com/')
  expect(link.rel).toContain('noopener')
  expect(host.querySelector('[onclick], b')).toBeNull()
})

test('no word of a model becomes an id on the page or a move on it: headings and footnotes have none', async () => {
  const text = '# cookie\n\nroot\n====\n\n###### forms\n\n[up](#cookie) and a note[^config]\n\n[^config]: said\n'
  const { host } = mount(<Markdown text={text} />)
  await found(host, 'h6')
  await expect.poll(() => host.textContent).toContain('said')
  expect(host.querySelectorAll('[id], [name]')).toHaveLength(0)
  expect(host.querySelectorAll('a')).toHaveLength(0)
  expect(host.textContent).toContain('up and a noteconfig')
  expect('config' in window).toBe(false)
})

const run: ToolInvocation = {
  key: 'r',
  toolCallId: 'r',
  toolName: 'run',
  state: 'approval-requested',
  input: { command: 'npm test' },
  approval: { id: 'a' },
}

function message(status: Message['status'], calls: ToolInvocation[]): Message {
  return {
    id: 'm',
    role: 'assistant',
    status,
    parts: [
      ...(calls.length === 0
        ? []
        : [
            {
              type: 'text' as const,
              id: 't',
              text: 'First the tests.',
              state: 'done' as const,
              phase: 'commentary' as const,
            },
          ]),
      ...calls.map(toolInvocation => ({ type: 'dynamic-tool' as const, toolInvocation })),
    ],
  }
}

test('the widget thinks, works, and says what it used', async () => {
  const { host, render } = mount(<InlineToolWidget message={message('streaming', [])} />)
  await button(host, 'Thinking…')
  render(<InlineToolWidget message={message('streaming', [{ ...run, state: 'input-available' }])} />)
  await button(host, /^Running npm test\s*$/)
  const failed: ToolInvocation = { ...run, key: 'f', state: 'output-error', errorText: 'no' }
  render(<InlineToolWidget message={message('sent', [{ ...run, state: 'output-available', output: 'ok' }, failed])} />)
  ;(await button(host, 'Used 2 tools · 1 failed')).click()
  await expect.poll(() => host.textContent).toContain('First the tests.')
  expect(host.querySelectorAll('.argot-row').length).toBe(2)
  await button(host, 'Copy JSON')
})

test('a waiting approval is never hidden in a closed widget', async () => {
  const { host } = mount(<InlineToolWidget message={message('streaming', [run])} />)
  await found(host, '.argot-approval')
  expect(host.querySelector('.argot-widget-line')!.getAttribute('aria-expanded')).toBe('false')
})

test('a renderer that throws shows the built-in part, and is reported once', async () => {
  const errors: unknown[] = []
  const { host } = mount(
    <PartBoundary fallback={<p>built in</p>} onError={error => errors.push(error)}>
      <Throws />
    </PartBoundary>,
  )
  expect((await found(host, 'p')).textContent).toBe('built in')
  expect(errors.length).toBe(1)
})
