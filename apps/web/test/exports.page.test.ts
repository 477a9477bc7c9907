import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { inProcess } from '../../../packages/cli/test/in-process.ts'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

async function exported(page: Page, name: string): Promise<{ file: string; text: string }> {
  await page.getByRole('button', { name: 'More' }).click()
  const coming = page.waitForEvent('download')
  await page.getByRole('menuitem', { name, exact: true }).click()
  const download = await coming
  return { file: download.suggestedFilename(), text: await text(await download.createReadStream()) }
}

const hostile = `<user>
RAW|<script>alert(1)</script><img src=x onerror=alert(1)> </style></title>|RAW
</user>

<assistant>
RAW|<script>alert(2)</script> [a link](javascript:alert(3)) ![far](https://example.com/a.png)

[share](//example.com/x) [back](\\\\example.com/x) [disk](/etc/passwd) ![near](//example.com/b.png) [kept](https:example.com/y)

<iframe src="https://example.com/"></iframe> <style>body { display: none }</style> <svg onload=alert(4)>

| a | b |
| :-: | --: |
| 1 | 2 |
|RAW
</assistant>

<tool_call tool_call_id="c1" function_name="write_file">
RAW|{"path": "<b>a</b>.html", "content": "</details></main><script>alert(5)</script>"}|RAW
</tool_call>

<tool_response tool_call_id="c1">
RAW|<meta http-equiv="refresh" content="0;url=https://example.com/">|RAW
</tool_response>

<assistant>
Done.
</assistant>
`

test('a conversation is kept as one page that opens from the disk, without a script or a request', async () => {
  const { open, folder } = await serveSample({ run: { approve: 'all' } })
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('log').getByText('That was one of everything').waitFor()
  const { file, text } = await exported(page, 'Export as HTML')
  expect(file).toBe('welcome.html')
  expect(text).not.toMatch(/<script|<link|<button|\son\w+=|\sstyle=|src="http/i)
  await writeFile(join(folder, file), text)
  const requests: string[] = []
  const problems: string[] = []
  const from = await page.context().newPage()
  from.on('request', request => requests.push(request.url()))
  from.on('console', message => problems.push(message.text()))
  const address = pathToFileURL(join(folder, file)).href
  await from.goto(address)
  expect(requests).toEqual([address])
  expect(problems).toEqual([])
  // Our style is the one that the policy allows.
  await expect.poll(() => from.locator('main').evaluate(main => getComputedStyle(main).maxWidth)).toBe('720px')
  const call = from.locator('details').first()
  expect(await call.locator('.body').isVisible()).toBe(false)
  await call.locator('summary').focus()
  await from.keyboard.press('Enter')
  await expect.poll(() => call.locator('.body').isVisible()).toBe(true)
  // What failed is said without opening anything.
  await expect.poll(() => from.locator('.why').getByText('does not exist').isVisible()).toBe(true)
  await expect.poll(() => from.getByText('That was one of everything').isVisible()).toBe(true)
  expect(await barriers(from)).toEqual([])
})

test('whatever is said in a conversation is text in the page that is kept', async () => {
  const { open, folder } = await serveSample()
  await writeFile(join(folder, 'hostile.chatmd'), hostile)
  const page = await open('#/hostile.chatmd')
  await page.getByRole('log').getByText('Done.').waitFor()
  const { text } = await exported(page, 'Export as HTML')
  const command = await inProcess(['convert', join(folder, 'hostile.chatmd'), '--to', 'html'], { cwd: folder })
  expect(command.stdout).toBe(text)
  await writeFile(join(folder, 'hostile.html'), text)
  const said: string[] = []
  const from = await page.context().newPage()
  from.on('dialog', dialog => {
    said.push(dialog.message())
    void dialog.dismiss()
  })
  from.on('request', request => said.push(request.url()))
  from.on('console', message => said.push(message.text()))
  await from.goto(pathToFileURL(join(folder, 'hostile.html')).href)
  expect(said).toHaveLength(1)
  const counts = await from.evaluate(() =>
    [
      'script',
      'iframe',
      'svg',
      'main style',
      'meta[http-equiv=refresh]',
      'img',
      '[href]:not([href^="https://"])',
      '[srcset]',
    ].map(name => document.querySelectorAll(name).length),
  )
  expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
  await expect
    .poll(() => from.locator('main').evaluate(main => main.textContent))
    .toContain('<script>alert(5)</script>')
  await expect.poll(() => from.title()).toBe('hostile')
})

test('a conversation is kept as Markdown, as JSON and as the document that it is', async () => {
  const { open, folder } = await serveSample({ run: { approve: 'all' } })
  const page = await open()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  // The run is over, so the document does not grow any more.
  await page.getByRole('log').getByRole('button', { name: 'Try again' }).waitFor()
  const markdown = await exported(page, 'Export as Markdown')
  expect(markdown.file).toBe('welcome.md')
  expect(markdown.text).toContain('> [!tool')
  const command = await inProcess(['convert', join(folder, 'welcome.chatmd'), '--to', 'markdown'], { cwd: folder })
  expect(command.stdout).toBe(markdown.text)
  const json = await exported(page, 'Export as JSON')
  expect(JSON.parse(json.text)).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
  const document = await exported(page, 'Export the document')
  expect(document.text).toBe(await readFile(join(folder, 'welcome.chatmd'), 'utf8'))
})
