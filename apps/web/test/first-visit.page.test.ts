import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

const approve = /^Approve/

test('one click shows everything once, a reload in the middle keeps it, and the answer changes the file', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await page.locator('.argot-under', { hasText: 'does not exist' }).first().waitFor()
  // One question has three signs: its card, the link to all questions, and the title of the tab.
  await page.getByText('Needs you', { exact: true }).first().waitFor()
  await expect.poll(() => page.title()).toMatch(/^● Needs you/)
  expect(
    await page
      .getByText(/needs? you\b/i)
      .evaluateAll(all => all.filter(one => one.getBoundingClientRect().width > 1).length),
  ).toBe(2)
  expect(await page.locator('.mark[data-kind="waiting"]').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  // Calls of one step share a bracket, whenever they are looked at.
  const brackets = (): Promise<string[]> =>
    page.getByRole('group', { name: /in parallel$/ }).evaluateAll(all => all.map(one => one.ariaLabel ?? ''))
  expect(await brackets()).toEqual(['2 calls in parallel'])
  await page.reload()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await expect.poll(brackets).toEqual(['2 calls in parallel'])
  await expect.poll(() => page.getByRole('log').getByText("I'll look at the folder").count()).toBe(1)
  await page.getByRole('button', { name: approve }).first().click()
  await page.getByRole('log').getByText('That was one of everything').waitFor()
  // The end was in view, so the answer is followed.
  await page.getByRole('button', { name: 'Latest' }).waitFor({ state: 'hidden' })
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [x] See a tool call')
  expect(await brackets()).toEqual(['2 calls in parallel'])
  await page.reload()
  await page.getByRole('log').getByText('That was one of everything').waitFor()
  await expect.poll(brackets).toEqual(['2 calls in parallel'])
  await expect.poll(() => page.getByRole('log').getByText('That was one of everything').count()).toBe(1)
  await page
    .getByText(/^Approved by you, \d\d:\d\d:\d\d$/)
    .first()
    .waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a message in place of an answer denies the call, and the file stays as it is', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await page.getByRole('textbox', { name: /message/i }).fill('Leave it as it is')
  await page.keyboard.press('Enter')
  await page.getByText('You said no').first().waitFor()
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [ ] See a tool call')
})

test('two tabs show the same run, and an answer in one is an answer in the other', async () => {
  const { open } = await serveSample()
  const first = await open()
  const second = await open()
  await first.getByRole('button', { name: 'Show me around.' }).click()
  await first.getByRole('button', { name: approve }).first().waitFor()
  await second.getByRole('button', { name: approve }).first().waitFor()
  await second.getByRole('button', { name: approve }).first().click()
  await first.getByText('That was one of everything').first().waitFor()
  await second.getByText('That was one of everything').first().waitFor()
  await expect.poll(() => first.getByRole('button', { name: approve }).count()).toBe(0)
  // What is said in one tab later is said in the other, question and answer. While a run is on, a message would be queued.
  for (const page of [first, second]) await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  await first.getByRole('textbox', { name: 'Message' }).fill('And now?')
  await first.keyboard.press('Enter')
  const words = (page: Page): Promise<string[]> =>
    page
      .getByRole('log')
      .getByRole('article')
      .evaluateAll(all => all.map(one => one.ariaLabel ?? ''))
  for (const page of [first, second]) {
    await page.getByRole('log').getByText('And now?', { exact: true }).waitFor()
    await expect.poll(() => words(page)).toEqual(['You', 'Assistant', 'You', 'Assistant'])
  }
})

test('a run that another tab hears of only while it is queued and when it is over is shown there', async () => {
  const { open } = await serveSample()
  const first = await open()
  const second = await open('', {}, hearLess)
  await second.getByRole('button', { name: 'Show me around.' }).waitFor()
  await first.getByRole('textbox', { name: 'Message' }).fill('Hello?')
  await first.keyboard.press('Enter')
  await second.getByRole('log').getByText('Hello?', { exact: true }).waitFor()
  await expect.poll(() => second.getByRole('article', { name: 'Assistant' }).count()).toBe(1)
})

/** A busy server tells a reader of states, not of changes: what was between two of them is never heard of. */
function hearLess(): void {
  const { fetch } = window
  const isBetween = (event: string): boolean =>
    event.includes('event: run\n') && /"state":"(?:running|waiting|stopping)"/.test(event)
  const filter = (): TransformStream<string, string> => {
    let rest = ''
    const queued = new Set<string>()
    return new TransformStream({
      transform(text, controller) {
        const events = (rest + text).split('\n\n')
        rest = events.pop()!
        for (const event of events) {
          const id = /"id":"([^"]+)"/.exec(event)?.[1] ?? ''
          const isFirst = isBetween(event) && !queued.has(id)
          if (isFirst) queued.add(id)
          const heard = isFirst ? event.replace(/"state":"\w+"/, '"state":"queued"') : event
          if (!isBetween(event) || isFirst) controller.enqueue(`${heard}\n\n`)
        }
      },
    })
  }
  window.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!String(input).includes('api/events')) return response
    const body = response.body!.pipeThrough(new TextDecoderStream() as never).pipeThrough(filter())
    return new Response(body.pipeThrough(new TextEncoderStream()), response)
  }
}

test('a server that leaves and comes back is joined again, and what waited still waits', async () => {
  const { open, restart } = await serveSample()
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await restart()
  const button = page.getByRole('button', { name: approve }).first()
  await button.waitFor()
  await button.click()
  await page.getByText('That was one of everything').first().waitFor({ timeout: 60_000 })
})

test('documents are found by their words, and appear when they are made', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await writeFile(join(folder, 'plan.chatmd'), '<user>\nPlan a trip to Bergen\n</user>\n')
  await page.getByRole('link', { name: 'plan.chatmd' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('bergen')
  await page.getByRole('option', { name: /Plan a trip to Bergen/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'plan.chatmd' }).waitFor()
  await page.getByRole('tab', { name: 'What the model sees' }).click()
  await page.getByText(/demo · native/).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('on a phone there is one pane, the documents are a sheet, and nothing scrolls sideways', async () => {
  const { open } = await serveSample()
  const page = await open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.getByRole('button', { name: 'Documents' }).click()
  await page.getByRole('link', { name: 'welcome.chatmd needs you' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a token opens the page once, and is gone from the address', async () => {
  const { open } = await serveSample({ token: 'a-long-token' })
  const page = await open('#token=a-long-token')
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  expect(page.url()).not.toContain('token')
  await page.reload()
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  const other = await open()
  await other.getByText(/token/i).first().waitFor()
})
