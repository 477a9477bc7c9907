import { ChatBox, Markdown } from '@argot/react'
import type { ChatAdapter } from '@argot/react/types'
import { type ReactNode, useState } from 'react'
import { expect, test } from 'vitest'
import { button, found, mount } from '../parts/mount.tsx'

const source = 'graph TD\n  A --> B'
const answer = `Here:\n\n\`\`\`mermaid\n${source}\n\`\`\`\n\nDone.`

function Diagram({ source: text }: { source: string }): ReactNode {
  const [count, setCount] = useState(0)
  return (
    <button type="button" className="diagram" onClick={() => setCount(count + 1)}>
      {`${text.split('\n').length} lines, ${count}`}
    </button>
  )
}

test('a fence is drawn by the renderer of its language, and its code is one press away', async () => {
  const { host } = mount(<Markdown text={answer} fences={{ mermaid: text => <Diagram source={text} /> }} />)
  expect((await found(host, '.diagram')).textContent).toBe('2 lines, 0')
  expect(host.querySelector('pre')).toBeNull()
  const asText = await button(host, 'As text')
  asText.click()
  await expect.poll(() => host.querySelector('pre')?.textContent).toBe(source)
  expect(asText.isConnected).toBe(true)
})

test('a renderer is loaded when the first fence of its language is complete, once', async () => {
  let loads = 0
  let release: () => void = () => undefined
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const fences = {
    mermaid: async () => {
      loads++
      await gate
      return { default: Diagram }
    },
  }
  const { host, render } = mount(<Markdown text="No fence." fences={fences} />)
  await found(host, 'p')
  render(<Markdown text={answer.slice(0, answer.indexOf('B'))} isStreaming fences={fences} />)
  await found(host, 'pre')
  expect(loads).toBe(0)
  render(<Markdown text={answer} isStreaming fences={fences} />)
  await expect.poll(() => loads).toBeGreaterThan(0)
  expect(host.querySelector('pre')?.textContent).toBe(source)
  release()
  ;(await found(host, '.diagram')).click()
  await expect.poll(() => host.querySelector('.diagram')?.textContent).toBe('2 lines, 1')
  // It stays what it is while the text goes on, and the next fence does not wait.
  const before = loads
  render(<Markdown text={`${answer}\n\n${answer}`} fences={fences} />)
  await expect.poll(() => host.querySelectorAll('.diagram').length).toBe(2)
  expect(host.querySelector('.diagram')?.textContent).toBe('2 lines, 1')
  expect(loads).toBe(before)
})

test.each<[string, (text: string) => ReactNode | Promise<never>]>([
  [
    'throws',
    () => {
      throw new Error('No diagram.')
    },
  ],
  ['fails to load', () => Promise.reject(new Error('No chunk.'))],
  ['draws something that throws', () => <Broken />],
])('a renderer that %s leaves the code', async (_, mermaid) => {
  const { host } = mount(<Markdown text={answer} fences={{ mermaid }} />)
  await expect.poll(() => host.querySelector('pre')?.textContent).toBe(source)
  await expect.poll(() => host.querySelector('.argot-fence')).toBeNull()
  expect(host.textContent).toContain('Done.')
})

function Broken(): ReactNode {
  throw new Error('No diagram.')
}

test('formulas are fences of the language math, and nothing is drawn by a name of a prototype', async () => {
  const text = 'So\n\n$$\na\n\n+ b\n$$\n\nand $c$\n\n```constructor\nx\n```\n\n```toString\ny\n```'
  const { host } = mount(<Markdown text={text} fences={{ math: one => <i className="formula">{one}</i> }} />)
  expect((await found(host, '.formula')).textContent).toBe('a\n\n+ b')
  expect([...host.querySelectorAll('pre')].map(one => one.textContent)).toEqual(['x', 'y'])
  expect(host.textContent).toContain('and $c$')
  const { host: plain } = mount(<Markdown text={text} />)
  await expect.poll(() => plain.textContent).toContain('$$')
})

const adapter: ChatAdapter = { sendMessage: () => new ReadableStream() }

test('a chat draws fences, and the marks of an answer lead to its sources', async () => {
  const text = `Rotation is atomic [1], [2, 3] and 【1†here】, not \`a[1]\`, [9] or [x](https://x.example).\n\n- item [2]\n\n${answer}`
  const parts = [
    { type: 'text', id: 't', text, state: 'done', phase: 'final' },
    { type: 'source-url', sourceId: 'a', url: 'https://www.man7.org/rename', title: 'rename(2) <b>' },
    { type: 'source-url', sourceId: 'b', url: 'javascript:alert(1)', title: 'Attack' },
    { type: 'source-document', sourceId: 'c', mediaType: 'application/pdf', title: 'Book' },
  ]
  const message = { id: 'm', role: 'assistant', status: 'sent', parts }
  const { host } = mount(
    <ChatBox
      adapter={adapter}
      initialMessages={[message as never]}
      fences={{ mermaid: one => <Diagram source={one} /> }}
    />,
  )
  await found(host, '.diagram')
  await expect.poll(() => host.querySelectorAll('.argot-cite').length).toBe(5)
  const marks = [...host.querySelectorAll<HTMLAnchorElement>('.argot-cite')]
  expect(marks.map(one => `${one.tagName} ${one.textContent} ${one.title}`)).toEqual([
    'A 1 rename(2) <b> · man7.org',
    'SPAN 2 Attack',
    'SPAN 3 Book',
    'A 1 rename(2) <b> · man7.org',
    'SPAN 2 Attack',
  ])
  expect([marks[0]!.href, marks[0]!.rel, marks[0]!.getAttribute('aria-label')]).toEqual([
    'https://www.man7.org/rename',
    'noopener noreferrer',
    'Source 1: rename(2) <b>',
  ])
  expect(host.querySelector('code')?.textContent).toBe('a[1]')
  expect(host.textContent).toContain('[9] or x')
  expect(host.querySelector('[href^=javascript]')).toBeNull()
})
