import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright'
import { expect, onTestFinished, test } from 'vitest'
import { textChunks } from '../../../packages/server/test/proxy/fake-upstream.ts'
import { startProxy, weather } from '../../../packages/server/test/proxy/start-proxy.ts'
import { barriers } from '../../web/test/barriers.ts'
import { serveSample } from '../../web/test/open-page.ts'
import { sampleReplies } from '../src/state/samples.ts'

const hostile = readFileSync(new URL('./hostile.txt', import.meta.url), 'utf8')

const verdict = (page: Page): Promise<string> => page.locator('.verdict-words').innerText()
const text = (page: Page) => page.getByRole('textbox', { name: 'What the model wrote' })
const slider = (page: Page) => page.getByRole('slider', { name: 'Characters received' })

async function openPlayground(path = 'playground', options = {}): Promise<Page> {
  const { open } = await serveSample()
  const page = await open(path, options)
  await page.getByRole('heading', { name: 'What other syntaxes read' }).waitFor()
  return page
}

/** Pastes over all of the text, as the clipboard does. */
async function paste(page: Page, pasted: string): Promise<void> {
  await text(page).evaluate((field: HTMLTextAreaElement, data) => {
    field.select()
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', data)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, pasted)
}

/** A text that cannot be compressed. */
function noise(length: number): string {
  let seed = 1
  return Array.from({ length }, () => String.fromCharCode(33 + ((seed = (seed * 16807) % 2147483647) % 90))).join('')
}

async function hasNoSidewaysScroll(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
}

test('the page leads to the playground', async () => {
  const { open } = await serveSample()
  const page = await open()
  await page.getByRole('link', { name: 'Playground' }).click()
  await expect.poll(() => verdict(page)).toBe('2 calls, read as hermes')
})

test('what was pasted is read: dialect, typed inputs, examples with the reason, failures and near misses with the cure', async () => {
  const page = await openPlayground()
  expect(new URL(page.url()).pathname).toBe('/playground/')
  expect(await verdict(page)).toBe('2 calls, read as hermes')
  await page.getByText('It is in a code block.').waitFor()
  await text(page).fill('^^^get_weather\ncity: Lisbon\ndays: 3\n^^^\n')
  await expect.poll(() => verdict(page)).toBe('1 call, read as caret')
  const days = page.locator('.input-row').filter({ hasText: 'days' })
  expect(await days.locator('dd').innerText()).toMatch(/^3\s+integer$/)
  await page.getByText('Tools', { exact: true }).click()
  const tools = page.getByRole('textbox', { name: 'Tools as JSON' })
  await tools.fill('[')
  await page.getByText('This is not valid JSON').waitFor()
  await tools.fill('')
  await expect.poll(() => days.locator('dd').innerText()).toMatch(/^"3"\s+string$/)
  await page.getByRole('button', { name: 'Mistakes' }).click()
  await page.getByText('Repaired: trailing comma.').waitFor()
  await page.getByText('must be an integer, but was "three"').waitFor()
  await page.getByText('Write the call again, in the form that was taught.').waitFor()
  await page.getByRole('button', { name: 'Show it in the text' }).click()
  const selected = text(page).evaluate((field: HTMLTextAreaElement) =>
    field.value.slice(field.selectionStart, field.selectionEnd),
  )
  expect(await selected).toBe('get_weather')
})

test('the slider shows the reply at any character, and playing ends at its end', async () => {
  const page = await openPlayground()
  const source = sampleReplies[0]!.text
  await slider(page).fill(String(source.indexOf('<tool_call>') + 6))
  await page.getByRole('heading', { name: 'Held back' }).waitFor()
  await slider(page).fill(String(source.indexOf('Lisbon') + 3))
  await page.getByText('The first call is being written.').waitFor()
  expect(await page.locator('.value').innerText()).toBe('"Lis"')
  await slider(page).press('Home')
  await expect.poll(() => verdict(page)).toBe('After 0 characters')
  await slider(page).fill(String(source.length - 30))
  await page.getByRole('button', { name: 'Play the stream' }).click()
  await expect.poll(() => slider(page).inputValue(), { timeout: 60_000 }).toBe(String(source.length))
  await page.getByRole('button', { name: 'Play the stream' }).waitFor()
  expect(await verdict(page)).toBe('2 calls, read as hermes')
})

test('other syntaxes can be compared, chosen and converted to', async () => {
  const page = await openPlayground()
  await page.getByRole('button', { name: 'xlam' }).click()
  await expect.poll(() => verdict(page)).toBe('2 calls, read as xlam')
  await page.getByRole('combobox', { name: 'Read as' }).selectOption('mistral')
  await expect.poll(() => verdict(page)).toBe('No calls')
  await page.getByRole('combobox', { name: 'Read as' }).selectOption('auto')
  await page.getByRole('button', { name: /^Show all \d+ syntaxes$/ }).click()
  await page.getByRole('radio', { name: /^xml ≈ \d+ tokens$/ }).check({ force: true })
  const converted = page.getByRole('textbox', { name: 'The reply as xml' })
  await expect.poll(() => converted.inputValue()).toContain('<tool:get_weather>\n<param:city>Lisbon</param:city>')
  await page.getByText('Reads back as the same calls').waitFor()
})

test('a link carries text, syntax and tools in its fragment, and nothing is asked of the server', async () => {
  const { open } = await serveSample()
  const page = await open('playground')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await text(page).fill(`Tromsø 🐚 #&=+% ${'words '.repeat(500)}\n<tool:f><param:a>7</param:a></tool:f>`)
  await page.getByText('Tools', { exact: true }).click()
  await page
    .getByRole('textbox', { name: 'Tools as JSON' })
    .fill('[{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}]')
  await expect.poll(() => verdict(page)).toBe('1 call, read as xml')
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toBe(page.url())
  expect(link.length).toBeLessThan(1000)
  expect(asked.filter(url => !url.endsWith('/playground/icon.svg'))).toEqual([])
  const other = await open(link)
  await expect.poll(() => verdict(other)).toBe('1 call, read as xml')
  expect(await text(other).inputValue()).toBe(await text(page).inputValue())
  expect(await other.locator('.input-row dd').innerText()).toMatch(/^7\s+integer$/)
  await paste(page, noise(60_000))
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Too long for a link').waitFor()
})

test('a link with an unknown syntax says which there are', async () => {
  const { open } = await serveSample()
  const page = await open('playground/#text=Hi&syntax=klingon')
  await page.getByText('There is no syntax "klingon".').waitFor()
  await page.getByRole('combobox', { name: 'Read as' }).selectOption('auto')
  await expect.poll(() => verdict(page)).toBe('No calls')
})

test('everything is reached and used with keys alone', async () => {
  const page = await openPlayground()
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const field = document.activeElement as HTMLInputElement
      return field.getAttribute('aria-label') ?? field.labels?.[0]?.innerText ?? field.innerText.trim()
    })
  const order: string[] = []
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab')
    const name = (await focused()).replace(/\s+/g, ' ')
    if (order.includes(name) && name === order[0]) break
    order.push(name)
  }
  for (const name of [
    'Copy link',
    'Hermes',
    'Cut off',
    'Clear',
    'What the model wrote',
    'Play the stream',
    'Characters received',
    'Tools get_weather, write_file, search and delete_file',
    'xlam',
    'Copy',
    'The reply as caret',
  ]) {
    expect(order).toContain(name)
  }
  expect(order).toContainEqual(expect.stringMatching(/^Show all \d+ syntaxes$/))
  expect(order.indexOf('What the model wrote')).toBeLessThan(order.indexOf('Play the stream'))
  await page.getByRole('button', { name: 'Examples' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => verdict(page)).toBe('1 call, read as hermes')
  await slider(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => verdict(page)).toMatch(/^After \d+ characters$/)
  await page.getByRole('radio', { checked: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('textbox', { name: /^The reply as (?!caret)/ }).waitFor()
})

test('screen readers hear the outcome once, after typing', async () => {
  const page = await openPlayground()
  await text(page).fill('Just words.')
  await page.locator('[role=status]').getByText('No calls. It is all text.').waitFor()
  expect(await slider(page).getAttribute('aria-valuetext')).toBe('11 of 11 characters. The reply has ended.')
})

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 320],
] as const)('%s at %i px has no barriers and no sideways scroll', async (colorScheme, width) => {
  const page = await openPlayground('playground/', { colorScheme, viewport: { width, height: 800 } })
  for (const name of ['Hermes', 'Mistakes', 'Examples']) {
    await page.getByRole('button', { name, exact: true }).click()
    await page
      .getByText(sampleReplies.find(sample => sample.name === name)!.text.split('\n')[0]!)
      .first()
      .waitFor()
    await page.locator('details').evaluateAll(all => {
      for (const details of all) details.setAttribute('open', '')
    })
    expect(await barriers(page), name).toEqual([])
    expect(await hasNoSidewaysScroll(page), name).toBe(true)
  }
  // The place where the reply arrives stays in view.
  await slider(page).press('ArrowLeft')
  const isInView = (): Promise<boolean> =>
    page.locator('.editor').evaluate(frame => {
      const { top, bottom } = frame.querySelector('[data-kind="future"]')!.getBoundingClientRect()
      const box = frame.getBoundingClientRect()
      return top >= box.top && bottom <= box.bottom
    })
  await expect.poll(isInView).toBe(true)
})

test('hostile text is shown and does nothing', async () => {
  const page = await openPlayground()
  const dialogs: string[] = []
  page.on('dialog', dialog => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await text(page).fill(hostile)
  await expect.poll(() => page.getByText('This tool is not in the list.').count()).toBe(2)
  expect(await page.locator('main :is(img, script, iframe, a, style)').count()).toBe(0)
  const shown = await page.locator('.reply').innerText()
  for (const piece of ['\\u{202e}', '\\u{1b}[31m', '__proto__', 'constructor']) expect(shown).toContain(piece)
  expect(shown).not.toMatch(/[\u202e\u001b]/)
  expect(await page.evaluate(() => Object.keys(Object.prototype))).toEqual([])
  expect(dialogs).toEqual([])
  expect(await hasNoSidewaysScroll(page)).toBe(true)
})

test('a text of a megabyte is read, in bounds, while the page can be used', async () => {
  const page = await openPlayground()
  const call = '<tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call>\n'
  await paste(page, `${'A line of prose with `code` and <tags>.\n'.repeat(25_000)}${call.repeat(500)}`)
  // The worker reads; the page answers meanwhile.
  await page.getByText('Tools', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Tools as JSON' }).waitFor()
  await page.getByText('Texts over 50,000 characters are shown without colours.').waitFor()
  await expect.poll(() => verdict(page), { timeout: 60_000 }).toBe('500 calls, read as hermes')
  expect(await page.locator('*').count()).toBeLessThan(5000)
  await slider(page).press('Home')
  await expect.poll(() => verdict(page)).toBe('After 0 characters')
})

test('the debug page of a proxy opens a reply in the playground', async () => {
  const folder = fileURLToPath(new URL('../../../packages/server/page', import.meta.url))
  const reply = '<tool_call>{"name": "weather", "arguments": {"city": "Oslo & co"}}</tool_call>'
  const proxy = await startProxy([{ chunks: textChunks(reply) }], { page: folder })
  onTestFinished(() => proxy.close())
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [weather] }
  await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { open } = await serveSample()
  const page = await open(`${proxy.url}/debug`)
  await page.locator('summary').click()
  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open in the playground' }).click()
  const playground = await opened
  await expect.poll(() => verdict(playground)).toBe('1 call, read as hermes')
  expect(await text(playground).inputValue()).toBe(reply)
  expect(await playground.locator('.input-row dd').innerText()).toMatch(/^"Oslo & co"\s+string$/)
})
