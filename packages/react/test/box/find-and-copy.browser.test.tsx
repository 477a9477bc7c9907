import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { mountBox } from './mount.tsx'

const history = Array.from({ length: 300 }, (_, index) =>
  index % 2 === 0
    ? { id: `h${index}`, role: 'user', parts: [{ type: 'text', text: `Question ${index}` }] }
    : {
        id: `h${index}`,
        role: 'assistant',
        parts: [
          ...['a', 'b', 'c', 'd'].map(name => ({
            type: 'tool-read_file',
            toolCallId: `${name}${index}`,
            state: 'output-available',
            input: { path: `${name}.ts` },
            output: `needle ${name} ${index}`,
          })),
          { type: 'text', text: `Answer ${index}` },
        ],
      },
)

test('a long conversation keeps only what is near the view on the page', async () => {
  const { host } = await mountBox({ initialMessages: history })
  await expect.poll(() => host.querySelectorAll('article').length).toBeGreaterThan(0)
  expect(host.querySelectorAll('article').length).toBeLessThan(60)
})

test('find looks into what is folded, closed and not on the page, and opens it', async () => {
  const { host, field, find } = await mountBox({ initialMessages: history })
  field().focus()
  await userEvent.keyboard('{Control>}f{/Control}')
  const bar = await find('.argot-find input')
  await expect.poll(() => document.activeElement).toBe(bar)
  await userEvent.keyboard('needle c 5')
  await expect.poll(() => host.querySelector('.argot-find output')!.textContent).toMatch(/^1 of /)
  await expect.poll(() => host.querySelector('[data-argot-call="h5/c5"]')?.textContent).toContain('needle c 5')
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => host.querySelector('.argot-find')).toBeNull()
  expect(document.activeElement).toBe(field())
})

test('the whole conversation is copied, and printed', async () => {
  const { host, find } = await mountBox({ initialMessages: history })
  await find('article')
  const copied: string[] = []
  document.addEventListener('copy', event => copied.push(event.clipboardData?.getData('text/plain') ?? ''), {
    once: true,
  })
  const written: string[] = []
  const { clipboard } = navigator
  const write = clipboard.writeText.bind(clipboard)
  clipboard.writeText = async value => {
    written.push(value)
  }
  await userEvent.click([...host.querySelectorAll('button')].find(one => one.textContent === 'Copy conversation')!)
  await expect.poll(() => written.length).toBe(1)
  clipboard.writeText = write
  expect(written[0]).toContain('You:\n\nQuestion 0')
  expect(written[0]).toContain('[Read b.ts, ')
  expect(written[0]).toContain('Answer 299')
  window.dispatchEvent(new Event('beforeprint'))
  expect(host.querySelectorAll('article')).toHaveLength(300)
  window.dispatchEvent(new Event('afterprint'))
  await expect.poll(() => host.querySelectorAll('article').length).toBeLessThan(60)
})

test('the work of a long turn is folded on reload and opened by hand; one that failed is not folded', async () => {
  const failed = structuredClone(history.slice(0, 4))
  const part = failed[3]!.parts[0] as Record<string, unknown>
  Object.assign(part, { state: 'output-error', output: undefined, errorText: 'gone' })
  const { host, find } = await mountBox({ initialMessages: failed })
  await find('[data-argot-call="h3/a3"]')
  expect(host.querySelector('[data-argot-call="h1/a1"]')).toBeNull()
  await userEvent.click(host.querySelector('[data-argot-message="h1"] .argot-run')!)
  await find('[data-argot-call="h1/a1"]')
})
