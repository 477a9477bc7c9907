import { existsSync } from 'node:fs'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunResource } from '@argot/server'
import type { Locator, Page } from 'playwright'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../../../packages/agent/test/scripted-model.ts'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

const talk = (question: string, answer: string): string =>
  `<user>\n${question}\n</user>\n\n<assistant>\n${answer}\n</assistant>\n`

const names = (page: Page): Promise<string[]> => page.locator('.documents ul .row-title').allTextContents()
const row = (page: Page, title: string): Locator => page.locator('.row', { hasText: title })

async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, 'work'))
  const files: Record<string, string> = {
    'plan.chatmd': talk('Plan the trip', 'Pack the umbrella.'),
    'plan.1.chatmd': talk('Plan it by train', 'Take the night train.'),
    'plan.2.chatmd': talk('Plan it by boat', 'Take the ferry.'),
    'work/taxes.chatmd': talk('Taxes', 'They are due.'),
  }
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    await writeFile(join(folder, name), text)
    await utimes(join(folder, name), 2_000_000_000 - index, 2_000_000_000 - index)
  }
}

test('conversations have titles, folders and branches, and are renamed, moved, copied, pinned and deleted with keys alone', async () => {
  const { visit, folder } = await serveSample()
  await fill(folder)
  const page = await visit('#/plan.chatmd')
  await page.getByText('5 documents').waitFor()
  await expect
    .poll(() => names(page))
    .toEqual(['Plan the trip', 'Plan it by train', 'Plan it by boat', 'welcome', 'work', 'Taxes'])
  await page.getByRole('link', { name: 'Plan it by train plan.1.chatmd branched from Plan the trip' }).waitFor()
  expect(await barriers(page)).toEqual([])

  // A folder closes, and stays closed.
  await page.getByRole('button', { name: 'work 1' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => names(page)).not.toContain('Taxes')
  await page.reload()
  await page.getByRole('button', { name: 'work 1', expanded: false }).focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => names(page)).toContain('Taxes')

  // Renamed and moved at once; its branches stay with it, and the page follows.
  await page.getByRole('link', { name: /^Plan the trip/ }).focus()
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toMatch(/title/)
  await page.keyboard.type('Bergen')
  await dialog.getByLabel('File name').fill('bergen')
  await dialog.getByLabel('Folder').fill('../out')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').waitFor()
  expect(await barriers(page)).toEqual([])
  // A server may choose another path, and the title follows it there.
  const chosen = JSON.stringify({ to: 'trips/bergen.chatmd' })
  await page.route('**/plan.chatmd/rename', route => route.continue({ postData: chosen }))
  await dialog.getByLabel('Folder').fill('travels')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: 'Bergen bergen.chatmd', level: 1 }).waitFor()
  expect(await readFile(join(folder, 'trips/bergen.chatmd'), 'utf8')).toContain('Pack the umbrella.')
  expect(existsSync(join(folder, 'plan.chatmd'))).toBe(false)
  await page.getByRole('log').getByText('Pack the umbrella.').waitFor()

  // Pinned through the menu of its row.
  await page.getByRole('link', { name: /^Taxes/ }).focus()
  await page.keyboard.press('Shift+F10')
  const menu = page.getByRole('menu', { name: 'Menu for Taxes' })
  await menu.waitFor()
  expect(await barriers(page)).toEqual([])
  const active = () => page.evaluate(() => document.activeElement?.textContent)
  await page.keyboard.press('End')
  expect(await active()).toBe('Delete')
  await page.keyboard.press('r')
  expect(await active()).toBe('Rename …')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  expect(await active()).toContain('Taxes')
  await page.keyboard.press('Shift+F10')
  await menu.waitFor()
  // Tab moves on from the row, to its menu button.
  await page.keyboard.press('Tab')
  await menu.waitFor({ state: 'hidden' })
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Menu for Taxes')
  await page.keyboard.press('Enter')
  await menu.waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pinned' }).waitFor()
  expect((await names(page))[0]).toBe('Taxes')

  // Copied through More.
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'bergen copy.chatmd', level: 1 }).waitFor()

  // Deleted and back again; the focus goes to a neighbour.
  await page.getByRole('link', { name: /^Taxes/ }).focus()
  await page.keyboard.press('Delete')
  await page.getByRole('status').getByText('Deleted “Taxes”').waitFor()
  await expect.poll(() => existsSync(join(folder, 'work/taxes.chatmd'))).toBe(false)
  expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-row'))).toBe(true)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await page.getByRole('heading', { name: 'taxes.chatmd', level: 1 }).waitFor()
  expect(await readFile(join(folder, 'work/taxes.chatmd'), 'utf8')).toContain('They are due.')

  // The trash has what nobody took back.
  await page.getByRole('link', { name: /^Plan it by boat/ }).focus()
  await page.keyboard.press('Delete')
  await page.getByText('Deleted “Plan it by boat”').waitFor()
  await page.getByRole('button', { name: 'Close' }).press('Enter')
  await page.getByRole('button', { name: 'Trash' }).press('Enter')
  const trash = page.getByRole('dialog', { name: 'Trash' })
  await trash.getByText('plan.2.chatmd').waitFor()
  expect(await barriers(page)).toEqual([])
  await trash.getByRole('button', { name: 'Restore plan.2.chatmd' }).press('Enter')
  await page.getByRole('log').getByText('Take the ferry.').waitFor()
})

test('a rename whose title is refused is saved by the next try', async () => {
  const { visit } = await serveSample()
  const page = await visit('#/welcome.chatmd')
  await page.route('**/title', route => route.fulfill({ status: 503, body: '{"message":"Not now."}' }), { times: 1 })
  await page.getByRole('link', { name: /^welcome/ }).press('F2')
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  await dialog.getByLabel('Title').fill('Bergen')
  await dialog.getByLabel('File name').fill('bergen')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText('Not now.').waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: 'Bergen bergen.chatmd', level: 1 }).waitFor()
})

test('a page on a run that waits follows its document when another client renames it: drafts, replays and answers', async () => {
  const model = scriptedModel([
    [...call('w', 'write_file', { path: 'one.md', content: 'One.\n' }), finish('tool-calls')],
    'It is written.',
  ])
  const { visit, folder, url } = await serveSample({ run: { model } })
  await writeFile(join(folder, 'trip.chatmd'), '<tool name="write_file"/>\n\n<user>\nWrite it.\n</user>\n')
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.ok).toBe(true)
    return answer.json()
  }
  const page = await visit('#/trip.chatmd')
  const { id } = (await post('runs', { document: 'trip.chatmd' })) as RunResource
  const approve = page.getByRole('button', { name: /^Approve/ })
  await approve.waitFor()
  await expect
    .poll(async () => ((await (await fetch(`${url}api/runs/${id}`)).json()) as RunResource).state)
    .toBe('waiting')
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Half')
  const drafts = () =>
    page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith('argot message ')))
  await page.evaluate(() => localStorage.setItem('argot message my trip.chatmd', 'Other'))
  await post('documents/trip.chatmd/rename', { to: 'trips/bergen.chatmd' })
  await page.getByRole('heading', { name: 'bergen.chatmd', level: 1 }).waitFor()
  await approve.waitFor()
  await expect.poll(() => message.inputValue()).toBe('Half')
  expect(Object.fromEntries(await drafts())).toEqual({
    'argot message trips/bergen.chatmd': 'Half',
    'argot message my trip.chatmd': 'Other',
  })
  // A replay of the run moves with it, to the same moment.
  await page.goto(`${url}#/trips/bergen.chatmd@${id}?chunk=2`)
  await page.getByRole('slider').waitFor()
  await post('documents/trips%2Fbergen.chatmd/rename', { to: 'oslo.chatmd' })
  await page.waitForURL(`${url}#/oslo.chatmd@${id}?chunk=2`)
  await page.getByRole('slider').waitFor()
  await page.goto(`${url}#/oslo.chatmd`)
  await approve.waitFor()
  const { pending } = (await (await fetch(`${url}api/runs/${id}`)).json()) as RunResource
  const { approvalId, inputHash } = pending[0]!
  await post(`runs/${id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await page.getByRole('log').getByText('It is written.').waitFor()
  await approve.waitFor({ state: 'hidden' })
  await expect.poll(() => page.locator('.inbox-link').innerText()).not.toMatch(/\d/)
})

interface DelayedRemovals {
  hasNewPath: boolean
  releaseRemovals: () => void
}

/** The page hears that a document is gone only once the test says so. */
function delayRemovals(): void {
  const delays = window as unknown as DelayedRemovals
  const released = new Promise<void>(resolve => {
    delays.releaseRemovals = resolve
  })
  const { fetch } = window
  const delay = (): TransformStream<string, string> => {
    let rest = ''
    return new TransformStream({
      transform(text, controller) {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks.map(one => `${one}\n\n`)) {
          if (block.includes('"state":"gone"')) void released.then(() => controller.enqueue(block))
          else controller.enqueue(block)
          if (/^event: run$/m.test(block) && block.includes('bergen')) delays.hasNewPath = true
        }
      },
    })
  }
  window.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !String(input).includes('api/events')) return response
    const text = response.body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, BufferSource>)
    return new Response(text.pipeThrough(delay()).pipeThrough(new TextEncoderStream()), response)
  }
}

test('a list of runs that was asked for before a rename and arrives after it changes nothing', async () => {
  const model = scriptedModel([
    [...call('w', 'write_file', { path: 'one.md', content: 'One.\n' }), finish('tool-calls')],
  ])
  const { open, folder, url } = await serveSample({ run: { model } })
  await writeFile(join(folder, 'trip.chatmd'), '<tool name="write_file"/>\n\n<user>\nWrite it.\n</user>\n')
  const post = (path: string, body: unknown): Promise<Response> => {
    const headers = { 'content-type': 'application/json' }
    return fetch(`${url}api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const page = await open('#/trip.chatmd', {}, delayRemovals)
  await post('runs', { document: 'trip.chatmd' })
  await page.getByRole('button', { name: /^Approve/ }).waitFor()
  await expect.poll(() => page.locator('.inbox-link').innerText()).toMatch(/1/)
  const held: (() => void)[] = []
  await page.route('**/api/runs?limit=100', async route => {
    const response = await route.fetch()
    await new Promise<void>(resolve => held.push(resolve))
    await route.fulfill({ response })
  })
  // Whatever loads the lists again.
  await page.getByRole('link', { name: /^welcome/ }).focus()
  await page.keyboard.press('Delete')
  await expect.poll(() => held.length).toBe(1)
  expect((await post('documents/trip.chatmd/rename', { to: 'trips/bergen.chatmd' })).status).toBe(200)
  await page.locator('.row', { hasText: 'bergen' }).waitFor()
  await page.waitForFunction(() => (window as unknown as DelayedRemovals).hasNewPath)
  const late = page.waitForResponse('**/api/runs?limit=100')
  held[0]!()
  await (await late).finished()
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.evaluate(() => (window as unknown as DelayedRemovals).releaseRemovals())
  await page.getByRole('heading', { name: 'bergen.chatmd', level: 1 }).waitFor()
})

test('a page that missed a removal no longer counts its calls once it loads the lists again', async () => {
  const model = scriptedModel([
    [...call('w', 'write_file', { path: 'one.md', content: 'One.\n' }), finish('tool-calls')],
  ])
  const { open, folder, url } = await serveSample({ run: { model } })
  await writeFile(join(folder, 'trip.chatmd'), '<tool name="write_file"/>\n\n<user>\nWrite it.\n</user>\n')
  const send = (method: string, path: string, body: unknown): Promise<Response> => {
    const headers = { 'content-type': 'application/json' }
    return fetch(`${url}api/${path}`, { method, headers, body: JSON.stringify(body) })
  }
  const page = await open('#/welcome.chatmd', {}, delayRemovals)
  const count = (): Promise<string> => page.locator('.inbox-link').innerText()
  await send('POST', 'runs', { document: 'trip.chatmd' })
  await expect.poll(count).toMatch(/1/)
  await expect.poll(async () => (await send('DELETE', 'documents/trip.chatmd', {})).status).toBe(200)
  expect(await count()).toMatch(/1/)
  // Whatever loads the lists again.
  await page.getByRole('link', { name: /^welcome/ }).focus()
  await page.keyboard.press('Delete')
  await expect.poll(count).not.toMatch(/\d/)
})

test('words in messages are found, on a phone, in the dark and without colours', async () => {
  const { visit, folder } = await serveSample()
  await fill(folder)
  const page = await visit('#/welcome.chatmd', {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    hasTouch: true,
  })
  await page.getByRole('button', { name: 'Documents' }).click()
  const search = page.getByRole('searchbox')
  await search.fill('umbrella')
  const hit = page.getByRole('link', { name: /Pack the umbrella/ })
  await hit.locator('mark', { hasText: 'umbrella' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await search.fill('nosuchword')
  await page.getByText('No document contains these words.').waitFor()
  await search.fill('train')
  await page.getByText('1 of 5').waitFor()
  // By its title, once: not again among the messages.
  await expect.poll(() => page.getByRole('link', { name: /Plan it by train/ }).count()).toBe(1)
  await search.fill('')
  await page.setViewportSize({ width: 320, height: 700 })
  await page.emulateMedia({ forcedColors: 'active' })
  await row(page, 'Taxes').getByRole('button', { name: 'Menu for Taxes' }).tap()
  const menu = page.getByRole('menu', { name: 'Menu for Taxes' })
  const box = (await menu.boundingBox())!
  expect(box.x >= 0 && box.x + box.width <= 320 && box.y + box.height <= 700).toBe(true)
  await menu.getByRole('menuitem', { name: 'Move …' }).tap()
  const dialog = page.getByRole('dialog', { name: 'Move' })
  await expect.poll(() => dialog.evaluate(one => one.scrollWidth <= one.clientWidth)).toBe(true)
  await dialog.getByLabel('Folder').fill('')
  await dialog.getByRole('button', { name: 'Move' }).tap()
  await expect.poll(() => existsSync(join(folder, 'taxes.chatmd'))).toBe(true)
  await search.fill('umbrella')
  await hit.click()
  await page.getByRole('log').getByText('Pack the umbrella.').waitFor()
})
