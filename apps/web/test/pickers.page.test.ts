import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { look } from './look.ts'
import { serveSample } from './open-page.ts'

test('a model, a syntax and stricter approvals are asked for from the next message on, and remembered', async () => {
  const { open } = await serveSample()
  const page = await open()
  const bodies: unknown[] = []
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/api/runs')) bodies.push(request.postDataJSON())
  })
  await page.getByRole('button', { name: 'Model: demo' }).click()
  await page.getByRole('menuitemradio', { name: /openai.*set OPENAI_API_KEY/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('menuitemradio', { name: /^demo/ }).click()
  await page.getByRole('button', { name: 'Syntax: native' }).press('ArrowDown')
  const radios = page.getByRole('menuitemradio')
  await radios.filter({ hasText: 'xml' }).first().waitFor()
  expect(await radios.nth(1).textContent()).toContain('auto')
  // By keys: the filter, a favourite beside its syntax, and the first that is left.
  await page.keyboard.type('xml')
  await expect.poll(() => radios.first().textContent()).toContain('xml')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemcheckbox', { name: 'Favourite: xml', checked: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  const syntax = page.getByRole('button', { name: 'Syntax: xml' })
  await syntax.click()
  await expect.poll(() => radios.nth(2).textContent()).toBe('xml')
  await look(page, 'syntaxes')
  await page.keyboard.press('Escape')
  await expect.poll(() => syntax.evaluate(element => element === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Approvals: Ask before changes' }).click()
  await expect.poll(() => page.getByRole('menuitemradio').count()).toBe(3)
  await page.getByRole('menuitemradio', { name: /^Read only/ }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Approvals: Read only' }).waitFor()
  await page.getByRole('button', { name: 'Syntax: xml' }).waitFor()
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('log').getByText("I'm Argot's demo model").waitFor()
  expect(bodies).toMatchObject([{ model: 'demo', syntax: 'xml', approve: 'readonly' }])
  await page.getByRole('tab', { name: 'What the model sees' }).click()
  await page.getByText(/demo · xml/).waitFor()
})

test('a model that is not listed is used by its name, and one that cannot be used says why', async () => {
  const { open, folder } = await serveSample()
  await writeFile(join(folder, 'own.chatmd'), '<config model="anthropic:claude-sonnet-5" tool_syntax="caret"/>\n')
  const page = await open('#/own.chatmd')
  await page.getByRole('button', { name: 'Syntax: caret' }).waitFor()
  await page.getByText(/Set ANTHROPIC_API_KEY/).waitFor()
  await page.getByRole('button', { name: 'Model: anthropic:claude-sonnet-5' }).click()
  await page.getByRole('menuitem', { name: 'Another model' }).click()
  await page.getByRole('dialog', { name: 'Another model' }).getByRole('textbox').fill('ollama:tiny')
  await page.keyboard.press('Enter')
  const button = page.getByRole('button', { name: 'Model: ollama:tiny' })
  await button.click()
  await page.getByRole('menuitemradio', { name: 'ollama:tiny', checked: true }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => button.evaluate(element => element === document.activeElement)).toBe(true)
})

test('on a phone, Escape and Tab give the focus back to the menu that opened the model and syntax menus', async () => {
  const { visit } = await serveSample()
  const page = await visit('#/welcome.chatmd', { viewport: { width: 390, height: 844 }, hasTouch: true })
  const active = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.ariaLabel)
  for (const [item, key, label] of [
    ['Model: demo', 'Escape', 'More'],
    ['Syntax: native', 'Escape', 'More'],
    ['Model: demo', 'Tab', 'Conversation'],
  ] as const) {
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: item }).press('Enter')
    const menu = page.getByRole('menu', { name: item })
    await menu.waitFor()
    await page.keyboard.press(key)
    await menu.waitFor({ state: 'hidden' })
    expect(await active()).toBe(label)
  }
})
