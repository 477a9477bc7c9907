import { ToolCard } from '@argot/react'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { found, mount } from '../parts/mount.tsx'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAKCAYAAAB8OZQwAAAAEklEQVR42mNk+M9QzzAKRgEyAADqCAX/AvZL3wAAAABJRU5ErkJggg=='

function card(output: unknown) {
  const part = {
    type: 'tool-import_image',
    toolCallId: 'c',
    state: 'output-available',
    input: { path: 'a.png' },
    output,
  }
  return <ToolCard part={part} defaultExpanded={{ '*': true }} />
}

/** What the output shows, in its order. */
function pieces(host: HTMLElement): string[] {
  const shown = host.querySelectorAll<HTMLElement>('[data-section=output] :is(.argot-picture > img, pre, a)')
  return [...shown].map(one => (one instanceof HTMLImageElement ? `picture ${one.alt}` : one.innerText.trim()))
}

const picture = { type: 'image', data: png, mimeType: 'image/png' }

test.each<[string, unknown, string[]]>([
  [
    'import_image',
    { type: 'content', value: [{ type: 'file-data', data: png, mediaType: 'image/png', filename: 'docs/a.png' }] },
    ['picture docs/a.png'],
  ],
  ['an MCP server', { content: [{ type: 'text', text: 'Here it is:' }, picture] }, ['Here it is:', 'picture a.png']],
  [
    'an MCP server, between texts',
    {
      type: 'content',
      value: [picture, { type: 'text', text: 'and' }, picture, { type: 'text', text: 'That was it.' }],
    },
    ['picture a.png', 'and', 'picture a.png', 'That was it.'],
  ],
  [
    'a tool with another file',
    { type: 'content', value: [{ type: 'file-data', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' }] },
    ['a.pdf · 3 B'],
  ],
])('what %s gives is drawn, text and pictures in their order', async (_, output, shown) => {
  const { host } = mount(card(output))
  await found(host, '[data-section=output] :is(img, a)')
  await expect.poll(() => pieces(host)).toEqual(shown)
  expect(host.innerText).not.toContain(png.slice(0, 20))
  const image = host.querySelector<HTMLImageElement>('[data-section=output] .argot-picture > img')
  if (image !== null) {
    await image.decode()
    expect([image.naturalWidth, image.naturalHeight, image.width, image.height]).toEqual([5, 10, 5, 10])
    expect(host.querySelector('.argot-row .argot-thumbnail')).not.toBeNull()
  }
})

test('a row that took long is named by what it shows: a picture without words, or the words', async () => {
  const slow = { type: 'tool-take_screenshot', toolCallId: 'c', state: 'output-available', input: { url: 'a.com' } }
  const times = { startedAt: 0, endedAt: 2100 }
  const row = (output: unknown) => (
    <div className="argot argot-pane">
      <div className="argot-column">
        <ToolCard part={{ ...slow, ...times, output }} />
      </div>
    </div>
  )
  const { host, render } = mount(row({ content: [picture] }))
  const name = () => host.querySelector('.argot-row')?.ariaLabel
  const axeProblems = async () => {
    const rules = { 'label-content-name-mismatch': { enabled: true } }
    const { violations } = await axe.run(host, { rules, resultTypes: ['violations'] })
    return violations.map(({ id }) => id)
  }
  await found(host, '.argot-thumbnail')
  expect(name()).toBe('Took screenshot a.com, 2.1 s, image/png, done')
  expect(await axeProblems()).toEqual([])
  render(row({ content: ['x', 'y'], results: [1, 2] }))
  await expect.poll(name).toBe('Took screenshot a.com, 2 results, 2.1 s, done')
  expect(host.querySelector('.argot-result')?.textContent).toBe('2 results')
  expect(await axeProblems()).toEqual([])
  // In a narrow pane, the time is hidden.
  host.style.inlineSize = '320px'
  await expect.poll(() => getComputedStyle(host.querySelector('.argot-time')!).display).toBe('none')
  expect(await axeProblems()).toEqual([])
})

test('a picture of another origin waits for a click, and a row without a picture keeps its result', async () => {
  const foreign = { content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }
  const { host, render } = mount(card(foreign))
  await expect.poll(() => host.innerText).toContain('Image from example.com, not loaded')
  expect(host.querySelector('img')).toBeNull()
  render(card({ content: ['x', 'y'], results: [1, 2] }))
  await expect.poll(() => host.querySelector('.argot-result')?.textContent).toBe('2 results')
})
