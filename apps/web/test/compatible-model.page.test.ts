import { fork } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

/** A model behind HTTP, in a process of its own. */
async function startModel(): Promise<{ url: string; asked: { model: string; stream: boolean; roles: string[] }[] }> {
  const child = fork(fileURLToPath(new URL('compatible-server.mjs', import.meta.url)), {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const asked: { model: string; stream: boolean; roles: string[] }[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The model has left.')))
    createInterface({ input: child.stdout! }).on('line', line => {
      if (line.startsWith('http')) resolve(line)
      else asked.push(JSON.parse(line))
    })
  })
  return { url, asked }
}

test('a model behind an OpenAI-compatible server streams a call, waits for a yes, and says what came of it', async () => {
  const { url, asked } = await startModel()
  const { open, folder } = await serveSample({ run: { env: { ARGOT_BASE_URL: url } } })
  await writeFile(
    join(folder, 'real.chatmd'),
    '<config model="openai-compatible:tiny" show_tool_call/>\n<tool name="find_and_replace"/>\n',
  )
  const page = await open('#/real.chatmd')
  await page.getByRole('textbox', { name: 'Message' }).fill('I have connected a real model. Tick it off.')
  await page.keyboard.press('Enter')
  const button = page.getByRole('button', { name: /^Approve/ }).first()
  await button.waitFor()
  await page.getByRole('log').getByText('I tick that off.').waitFor()
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [ ] Connect a real model')
  expect(await barriers(page)).toEqual([])
  await button.click()
  await page.getByRole('log').getByText('The tool said:').waitFor()
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain('- [x] Connect a real model')
  // What is seen while it streams is in the document a moment later.
  await expect.poll(() => readFile(join(folder, 'real.chatmd'), 'utf8')).toContain('The tool said:')
  expect(asked.map(({ model, stream }) => [model, stream])).toEqual([
    ['tiny', true],
    ['tiny', true],
  ])
  expect(asked[1]?.roles.slice(-2)).toEqual(['assistant', 'tool'])
})
