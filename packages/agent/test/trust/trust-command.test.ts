import { join } from 'node:path'
import { createTrustStore } from '@argot/agent'
import { parseChatMd } from 'argot/chatmd'
import { expect, test } from 'vitest'
import { exactCommand, trustCommand } from '../../src/trust/trust-command.ts'
import { folder } from '../resolver/folder.ts'

async function setUp() {
  const root = await folder({ 'a.chatmd': '' })
  const store = createTrustStore({ configFolder: join(root, 'config') })
  const questions: unknown[] = []
  const say = (answer: boolean) => (question: unknown) => {
    questions.push(question)
    return Promise.resolve(answer)
  }
  return { store, questions, say, file: join(root, 'a.chatmd'), command: 'rg --files' }
}

test('a yes is remembered, and the next run does not ask', async () => {
  const { store, questions, say, file, command } = await setUp()
  expect(await trustCommand({ store, file, command, trust: say(true) })).toBe(true)
  expect(questions).toEqual([{ file, command }])
  expect(await trustCommand({ store, file, command, trust: say(false) })).toBe(true)
  expect(await trustCommand({ store, file, command })).toBe(true)
  expect(questions).toHaveLength(1)
})

test('a no is not remembered, and nobody to ask is a no', async () => {
  const { store, questions, say, file, command } = await setUp()
  expect(await trustCommand({ store, file, command, trust: say(false) })).toBe(false)
  expect(await trustCommand({ store, file, command, trust: say(false) })).toBe(false)
  expect(questions).toHaveLength(2)
  expect(await trustCommand({ store, file, command })).toBe(false)
  expect(await store.list()).toEqual([])
})

test('an answer that is not `true` is a no', async () => {
  const { store, file, command } = await setUp()
  const trust = () => Promise.resolve('yes' as unknown as boolean)
  expect(await trustCommand({ store, file, command, trust })).toBe(false)
})

test('what the user allows for one run is not remembered', async () => {
  const { store, say, file, command } = await setUp()
  expect(await trustCommand({ store, file, command, allowExec: true, trust: say(false) })).toBe(true)
  expect(await trustCommand({ store, file, command })).toBe(false)
})

test('a tool that starts a program has an exact command, and no other has', () => {
  const { document } = parseChatMd(`
    <tool name="read_file"/>
    <tool name="rg" command="rg  --files"/>
    <tool name="helper" agent="helper.chatmd" local/>
    <tool mcp_server="https://tools.example.org"/>
    <tool mcp_server="stdio:npx  server"/>
  `)
  expect(document.tools.map(exactCommand)).toEqual([
    undefined,
    'rg  --files',
    undefined,
    undefined,
    'stdio:npx  server',
  ])
})
