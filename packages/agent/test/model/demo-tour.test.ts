import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runDocument } from '@argot/agent'
import { getMessageText, toolCalls } from '@argot/core'
import { expect, onTestFinished, test } from 'vitest'

const sample = fileURLToPath(new URL('../../../../samples/start', import.meta.url))

test.each([true, false])('the tour of the sample folder shows everything once, with the answer %s', async approved => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-tour-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(sample, folder, { recursive: true })
  const asked: string[] = []
  const { status, message } = await runDocument('welcome.chatmd', {
    ...{ cwd: folder, env: {}, configFolder: join(folder, 'config'), input: 'Show me around.' },
    ask: async ({ toolName }) => {
      asked.push(toolName)
      return { approved }
    },
  }).result
  expect(status).toBe('done')
  expect(asked).toEqual(['find_and_replace'])
  const states = toolCalls(message!).map(({ toolName, state }) => `${toolName} ${state}`)
  expect(states).toEqual([
    'read_dir output-available',
    'read_file output-available',
    'read_file output-error',
    `find_and_replace ${approved ? 'output-available' : 'output-denied'}`,
  ])
  expect(await readFile(join(folder, 'notes/todo.md'), 'utf8')).toContain(approved ? '- [x] See' : '- [ ] See')
})

test('the tour does not claim an edit that failed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'argot-tour-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(sample, folder, { recursive: true })
  const todo = join(folder, 'notes/todo.md')
  const before = (await readFile(todo, 'utf8')).replace('- [ ] See a tool call', '- [x] See a tool call')
  await writeFile(todo, before)
  const { message } = await runDocument('welcome.chatmd', {
    ...{ cwd: folder, env: {}, configFolder: join(folder, 'config'), input: 'Show me around.' },
    ask: async () => ({ approved: true }),
  }).result
  expect(toolCalls(message!).at(-1)).toMatchObject({ toolName: 'find_and_replace', state: 'output-error' })
  expect(getMessageText(message!)).toContain('The edit failed')
  expect(getMessageText(message!)).not.toContain('one less thing to do')
  expect(await readFile(todo, 'utf8')).toBe(before)
})
