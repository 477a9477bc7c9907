import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { argot, commandLine } from '../argot.ts'
import { type McpPlace, makeMcpPlace, serveHttp, textIn } from './mcp-place.ts'

async function start(): Promise<McpPlace> {
  const place = await makeMcpPlace()
  onTestFinished(() => place.close())
  return place
}

const isLoop = (name: string): boolean => name.startsWith('loop-')
const config = '<config model="openai-compatible:test" params="word"/>\n'

test('a document that calls itself through the server stops after 8 levels', async () => {
  const place = await start()
  const server = await serveHttp(place, ['--approve', 'all', '--allow-private', '--max-calls', '20'])
  onTestFinished(() => server.close())
  const loop = `${config}<tool mcp_server="${server.url}" include="loop"/>\n\n<user>\nLOOP {{word}}\n</user>\n`
  await writeFile(join(place.docs, 'loop.chatmd'), loop)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  const result = await client.callTool({ name: 'loop', arguments: { word: 'once' } }, { timeout: 120_000 })
  await client.close()
  expect(textIn(result)).toContain('nested more than 8 deep')
  // The one that the client called, and 8 inside it.
  expect((await readdir(join(place.docs, 'chats'))).filter(isLoop)).toHaveLength(9)
})

test('argot run uses argot mcp serve as a program', async () => {
  const place = await start()
  const inner = join(place.folder, 'inner')
  await mkdir(inner)
  await writeFile(join(inner, 'loop.chatmd'), '<config params="word"/>\n\n<user>\nSay {{word}}.\n</user>\n')
  const command = commandLine(['mcp', 'serve', inner, '--model', 'demo']).join(' ')
  const outer = `<config model="openai-compatible:test" show_tool_call/>\n<tool mcp_server="stdio:${command}"/>\n\n<user>\nLOOP\n</user>\n`
  await writeFile(join(place.folder, 'outer.chatmd'), outer)
  const flags = ['--allow-exec', '--approve', 'all', '--sandbox', 'off']
  const run = await argot(['run', 'outer.chatmd', ...flags], { cwd: place.folder, env: place.env })
  expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining('It gave:') })
  const [chat] = (await readdir(join(inner, 'chats'))).filter(isLoop)
  const answer = /<assistant[^>]*>\n([\s\S]*?)\n<\/assistant>/.exec(
    await readFile(join(inner, 'chats', chat!), 'utf8'),
  )?.[1]
  expect(answer).toContain("I'm Argot's demo model")
  expect(run.stdout).toContain("It gave: I'm Argot's demo model")
})
