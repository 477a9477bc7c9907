import { Markdown, OutputBody } from '@argot/react'
import { expect, test } from 'vitest'
import { found, mount } from '../parts/mount.tsx'

const code = 'const a = 1 // one\nreturn "b"'

test('a block of code in Markdown has its tokens told apart, and is copied as it was written', async () => {
  const { host, render } = mount(<Markdown text={`\`\`\`ts\n${code}`} isStreaming />)
  await found(host, '.argot-token-keyword')
  const pre = host.querySelector('pre')!
  expect(pre.textContent!.trimEnd()).toBe(code)
  const first = host.querySelector('.argot-token-comment')
  render(<Markdown text={`\`\`\`ts\n${code}\nif (a) b()`} isStreaming />)
  await expect.poll(() => pre.textContent).toContain('if (a)')
  // What was read is not drawn again.
  expect(host.querySelector('.argot-token-comment')).toBe(first)
})

test('a file that a tool read is highlighted by its name; what is not a code, and what is long, is not', async () => {
  const { host, render } = mount(<OutputBody value={code} name="src/a.ts" />)
  await found(host, '.argot-token-keyword')
  render(<OutputBody value={code} name="a poem" />)
  await expect.poll(() => host.querySelector('.argot-token-keyword')).toBeNull()
  render(<OutputBody value={`${'x'.repeat(31_000)}\n${code}`} name="src/a.ts" />)
  await expect.poll(() => host.querySelector('pre')!.textContent).toContain('xxx')
  expect(host.querySelector('.argot-token-keyword')).toBeNull()
})
