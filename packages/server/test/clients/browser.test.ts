import { createAgent, defineTool } from '@argot/agent'
import { fromUIMessage, type UIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import type { Page } from 'playwright'
import { afterAll, expect, test } from 'vitest'
import { call, finish, scriptedModel, text } from '../../../agent/test/scripted-model.ts'
import { serveFolder } from '../served-folder.ts'
import { gate } from './gate.ts'
import { closeBrowser, openBrowser, otherName, say, servePages, textOf } from './served-pages.ts'

afterAll(closeBrowser)

const saved: unknown[] = []
const save = defineTool<{ text: string }>({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => {
    saved.push(text)
    return `Saved ${text}.`
  },
})
const files = { 'chat.chatmd': '<config show_tool_call/>\n<tool name="save"/>\n\n' }
const saves = [...text('I save it.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')]
const poll = { timeout: 20_000 }

test('a page with useChat alone: approval, reload while it waits, reload in the middle of the answer', async () => {
  saved.length = 0
  const middle = gate()
  const served = await serveFolder([saves, 'It is saved now.'], {
    files,
    tools: [save],
    before: {
      before: (part, step) =>
        step === 1 && part.type === 'text-delta' && part.delta.startsWith('now') ? middle.wait() : undefined,
    },
  })
  const { url } = await servePages(served)
  const page = await (await openBrowser()).newPage()
  await page.goto(`${url}/use-chat.html`)
  await page.click('#send')
  await page.waitForSelector('#approve')
  await page.reload()
  await page.click('#approve')
  await middle.reached
  await expect.poll(() => textOf(page), poll).toContain('It is saved')
  await page.reload()
  await expect.poll(() => textOf(page), poll).toContain('It is saved')
  middle.open()
  await expect.poll(() => textOf(page), poll).toContain('It is saved now.')
  const items = (): Promise<string[]> => page.locator('li:not([data-type=step-start])').allInnerTexts()
  const whole = ['Save it.', 'I save it.', 'tool-save output-available', 'It is saved now.']
  await expect.poll(items, poll).toEqual(whole)
  await page.reload()
  await expect.poll(items, poll).toEqual(whole)
  expect(await page.evaluate('window.problems')).toEqual([])
  expect(saved).toEqual(['x'])
})

test.each([
  ['our adapter', 'mui'],
  ['the routes of the AI SDK', 'mui-ai-sdk'],
])('MUI X Chat talks to the server through %s, approvals included', async (_, name) => {
  saved.length = 0
  const served = await serveFolder([saves, 'It is saved.', 'Welcome.'], { files, tools: [save] })
  const { url } = await servePages(served)
  const page = await (await openBrowser()).newPage()
  await page.goto(`${url}/${name}.html`)
  await say(page, 'Save it.')
  await page.getByRole('button', { name: /^approve$/i }).click()
  await expect.poll(() => textOf(page), poll).toContain('It is saved.')
  expect(await textOf(page)).not.toContain('data-argot')
  expect(saved).toEqual(['x'])
  // The chat goes on.
  await say(page, 'Thanks.')
  await expect.poll(() => textOf(page), poll).toContain('Welcome.')
  const shown = await textOf(page)
  for (const once of ['I save it.', 'It is saved.', 'Welcome.']) expect(shown.split(once), once).toHaveLength(2)
})

test('MUI X Chat alone approves calls of a route handler that keeps nothing, as docs/serve-it.md shows', async () => {
  saved.length = 0
  const agent = createAgent({
    model: scriptedModel([saves, 'It is saved.']),
    tools: [save],
    env: {},
    approvalKey: 'a long random text',
    ask: async () => undefined,
  })
  const { url } = await servePages({
    server: {
      ...(await serveFolder([], { files })).server,
      async fetch(request) {
        const { messages } = (await request.json()) as { messages: UIMessage[] }
        return toResponse(agent.run(messages.map(fromUIMessage)), { request })
      },
    },
  })
  const page = await (await openBrowser()).newPage()
  await page.goto(`${url}/mui-stateless.html`)
  await say(page, 'Save it.')
  await page.getByRole('button', { name: /^approve$/i }).click()
  await expect.poll(() => textOf(page), poll).toContain('It is saved.')
  expect(await textOf(page)).not.toContain('data-argot')
  expect(saved).toEqual(['x'])
})

test('our page is loaded again in the middle of a run, and over a restart of the server, and shows everything once', async () => {
  saved.length = 0
  const middle = gate()
  const served = await serveFolder([saves, 'It is saved now.'], {
    files,
    tools: [save],
    before: {
      before: (part, step) =>
        step === 1 && part.type === 'text-delta' && part.delta.startsWith('now') ? middle.wait() : undefined,
    },
  })
  const first = await servePages(served)
  const page = await (await openBrowser()).newPage()
  await page.goto(`${first.url}/argot.html`)
  await say(page, 'Save it.')
  await page.getByRole('button', { name: 'Approve' }).click()
  await middle.reached
  await expect.poll(() => textOf(page), poll).toContain('It is saved')
  await page.reload()
  await expect.poll(() => textOf(page), poll).toContain('It is saved')
  const { port } = new URL(first.url)
  const again = await served.restart(['And it was saved.'])
  await first.close()
  await servePages(again, Number(port))
  await expect.poll(() => textOf(page), poll).toContain('And it was saved.')
  await page.reload()
  await expect.poll(() => textOf(page), poll).toContain('And it was saved.')
  const shown = await textOf(page)
  for (const once of ['Save it.', 'I save it.', 'And it was saved.']) {
    expect(shown.split(once), once).toHaveLength(2)
  }
  expect(saved).toEqual(['x'])
})

test.each([
  ['on this machine', '127.0.0.1'],
  ['at another name, where a page has no locks', otherName],
])('eight tabs %s follow eight runs over six connections, and outlive the tab that reads', async (_, host) => {
  const middle = gate()
  const names = Array.from({ length: 8 }, (_, index) => `chat-${index}.chatmd`)
  const served = await serveFolder([() => 'One two three four.'], {
    files: Object.fromEntries(names.map(name => [name, '<user>\nCount.\n</user>\n'])),
    hosts: [otherName],
    before: {
      before: part => (part.type === 'text-delta' && part.delta.startsWith('three') ? middle.wait() : undefined),
    },
  })
  const { url } = await servePages(served)
  for (const document of names) await served.post('/api/runs', { document })
  const browser = await openBrowser()
  const tabs = await Promise.all(
    names.map(async name => {
      const tab = await browser.newPage()
      await tab.goto(`${url.replace('127.0.0.1', host)}/argot.html?document=${name}`)
      return tab
    }),
  )
  for (const tab of tabs) await expect.poll(() => textOf(tab), poll).toContain('One two')
  const heard = (tab: Page): Promise<string> => tab.evaluate('document.documentElement.dataset.heard')
  for (const tab of tabs) {
    for (const one of ['ready', ...names]) await expect.poll(() => heard(tab), poll).toContain(one)
  }
  await tabs[0]!.close()
  middle.open()
  for (const tab of tabs.slice(1)) await expect.poll(() => textOf(tab), poll).toContain('One two three four.')
})
