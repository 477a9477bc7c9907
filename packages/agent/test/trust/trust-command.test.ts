import { join } from 'node:path'
import { createTrustStore } from '@argot/agent/workshop'
import { parseChatMd } from '@argot/core/chatmd'
import { expect, test } from 'vitest'
import { exactCommand, trustCommand } from '../../src/trust/trust-command.ts'
import { folder } from '../files/folder.ts'

async function setUp() {
  const root = await folder({ 'a.chatmd': '' })
  const store = createTrustStore({ configFolder: join(root, 'config') })
  const questions: unknown[] = []
  const say = (answer: boolean) => (question: unknown) => {
    questions.push(question)
    return Promise.resolve(answer)
  }
  const identity = { program: '/usr/bin/rg', files: [] }
  return { store, questions, say, file: join(root, 'a.chatmd'), command: 'rg --files', identity }
}

test('a yes is remembered, and the next run does not ask', async () => {
  const { store, questions, say, file, command, identity } = await setUp()
  expect(await trustCommand({ store, file, command, identity, trust: say(true) })).toBe(true)
  expect(questions).toEqual([{ file, command, identity }])
  expect(await trustCommand({ store, file, command, identity, trust: say(false) })).toBe(true)
  expect(await trustCommand({ store, file, command, identity })).toBe(true)
  expect(questions).toHaveLength(1)
})

test('a yes for once, and a yes to a program that is not there, are not remembered', async () => {
  const { store, say, file, command, identity } = await setUp()
  expect(await trustCommand({ store, file, command, identity, trust: async () => 'once' })).toBe(true)
  expect(await trustCommand({ store, file, command, trust: say(true) })).toBe(true)
  expect(await store.list()).toEqual([])
  expect(await trustCommand({ store, file, command, identity })).toBe(false)
})

test('another program or another content of a file is a new question, and takes the place of the old one', async () => {
  const { store, say, file, command } = await setUp()
  const files = (sha256: string) => [{ path: '/project/build.sh', sha256 }]
  const first = { program: '/project/build.sh', files: files('1') }
  await trustCommand({ store, file, command, identity: first, trust: say(true) })
  const others = [
    { program: '/other/build.sh', files: files('1') },
    { ...first, files: files('2') },
    { ...first, files: [] },
  ]
  for (const identity of others) expect(await trustCommand({ store, file, command, identity })).toBe(false)
  await trustCommand({ store, file, command, identity: others[1]!, trust: say(true) })
  expect(await trustCommand({ store, file, command, identity: first })).toBe(false)
  expect(await store.list()).toHaveLength(1)
})

test('what an earlier version remembered, without the program, asks again', async () => {
  const { store, file, command, identity } = await setUp()
  await store.trust({ file, command })
  expect(await trustCommand({ store, file, command, identity })).toBe(false)
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
