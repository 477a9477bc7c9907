import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import type { ModelServer, ScriptedReply } from '../../agent/test/model/servers/model-server.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const document = '<config model="openai-compatible:test"/>\n<tool name="read_file"/>\n<user>\nTell me.\n</user>\n'

async function place(...replies: ScriptedReply[]): Promise<{ folder: string; file: string; server: ModelServer }> {
  const folder = await folderWith({ 'chat.chatmd': document, 'notes.md': 'hello' })
  const server = await startCompatible(replies)
  onTestFinished(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, file: join(folder, 'chat.chatmd'), server }
}

describe('an answer that is not complete', () => {
  test('is printed, said to be cut, and continued by the command that is shown', async () => {
    const { folder, file, server } = await place({ text: 'One, two, ', finish: 'length' }, { text: 'three.' })
    const { env } = server
    const cut = await inProcess(['run', file, '--limit', 'one', '--allow', 'read_file(docs/**)'], { cwd: folder, env })
    expect([cut.status, cut.stdout]).toEqual([1, 'One, two, \n'])
    expect(cut.stderr.replaceAll(folder, '.')).toBe(
      "The answer reached the token limit and is incomplete. Run it again to continue, or raise max_tokens.\nTo continue, run: argot run ./chat.chatmd --allow 'read_file(docs/**)' --limit one\n",
    )
    const again = await inProcess(['run', file], { cwd: folder, env })
    expect([again.status, again.stdout]).toEqual([0, 'One, two, three.\n'])
  })

  test('is an error with -q, and a result with --json', async () => {
    const { folder, file, server } = await place({ text: 'One', finish: 'length' }, { text: ' two', finish: 'length' })
    const { env } = server
    const quiet = await inProcess(['run', file, '-q'], { cwd: folder, env })
    expect([quiet.status, quiet.stdout]).toEqual([1, 'One\n'])
    expect(quiet.stderr).toMatch(/^argot: The answer reached the token limit.* \(MODEL_REPLY_CUT\)\n$/)
    const json = await inProcess(['run', file, '--json'], { cwd: folder, env })
    expect(json.status).toBe(1)
    expect(JSON.parse(json.stderr.trim().split('\n').at(-1)!)).toMatchObject({
      result: { status: 'failed', code: 'MODEL_REPLY_CUT', finishReason: 'length', steps: 1 },
    })
  })

  test('is said to be empty', async () => {
    const { folder, file, server } = await place({ text: '' }, { text: 'Now.' })
    const empty = await inProcess(['run', file], { cwd: folder, env: server.env })
    expect([empty.status, empty.stdout]).toEqual([1, ''])
    expect(empty.stderr).toContain('The model returned an empty answer.')
    expect(await inProcess(['run', file], { cwd: folder, env: server.env })).toMatchObject({
      status: 0,
      stdout: 'Now.\n',
    })
  })
})

test('a server that hangs fails the run after --idle-timeout', async () => {
  const server = createServer(request => void request.resume())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { folder, file } = await place()
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const env = { ARGOT_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
  const { status, stderr } = await inProcess(['run', file, '--idle-timeout', '0.1'], { cwd: folder, env })
  expect(status).toBe(1)
  expect(stderr).toContain('Trying again')
  expect(stderr).toMatch(/openai-compatible:test sent nothing for 0\.1 s.* \(MODEL_SILENT\)/)
})

test('a call that leaks into the text is noticed, and --salvage reads it', async () => {
  const leak = { text: '<tool_call>\n{"name": "read_file", "arguments": {"path": "notes.md"}}\n</tool_call>' }
  const plain = await place(leak)
  const noticed = await inProcess(['run', plain.file], { cwd: plain.folder, env: plain.server.env })
  expect(noticed.stderr).toMatch(/a call of read_file .*dialect hermes.*--salvage/)
  const { folder, file, server } = await place(leak, { text: 'It says hello.' })
  const read = await inProcess(['run', file, '--salvage'], { cwd: folder, env: server.env })
  expect([read.status, read.stdout]).toEqual([0, 'It says hello.\n'])
  expect(read.stderr).toMatch(/✔ Read .*notes\.md/)
})

test('a question whose answer is cut is continued by the command that is shown, with the flags that it was asked with', async () => {
  const { folder, server } = await place({ text: 'One, ', finish: 'length' }, { text: 'two.' })
  const { env } = server
  const kept = join(folder, 'kept.chatmd')
  const flags = [
    '--model',
    'openai-compatible:test',
    '--approve',
    'readonly',
    '--tools',
    'read_file',
    '--system',
    'Be brief.',
  ]
  const cut = await inProcess(['ask', 'Count.', '--output', kept, ...flags], { cwd: folder, env })
  expect(cut.status).toBe(1)
  const [, shown] = /^To continue, run: argot (run .*)$/m.exec(cut.stderr)!
  expect(shown).toBe(`run ${kept} --model openai-compatible:test --approve readonly`)
  const again = await inProcess(shown!.split(' '), { cwd: folder, env })
  expect([again.status, again.stdout]).toEqual([0, 'One, two.\n'])
})
