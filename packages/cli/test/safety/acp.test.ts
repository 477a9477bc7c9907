import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, choose, openEditor, perTurn, place } from '../acp/acp-client.ts'

const quiet = perTurn({ text: 'Hello.' })

test('a client that names documents that are not its own gets none of them', async () => {
  const here = await place({ 'a.chatmd': '<user>\nHi.\n</user>\n', 'secret.txt': 'secret' }, quiet)
  writeFileSync(join(here.folder, 'outside.chatmd'), '<user>\nOutside.\n</user>\n')
  mkdirSync(join(here.docs, '.chatmd'), { recursive: true })
  writeFileSync(join(here.docs, '.chatmd/kept.chatmd'), '<user>\nKept.\n</user>\n')
  symlinkSync(join(here.folder, 'outside.chatmd'), join(here.docs, 'link.chatmd'))
  const editor = await openEditor(here)
  const forged = [
    '../outside.chatmd',
    join(here.folder, 'outside.chatmd'),
    '.chatmd/kept.chatmd',
    'a.chatmd/../../outside.chatmd',
    './a.chatmd',
    'secret.txt',
    'missing.chatmd',
    '\0.chatmd',
    '__proto__',
    '',
    `${'x'.repeat(100_000)}.chatmd`,
  ]
  for (const sessionId of forged) {
    for (const method of ['session/load', 'session/resume', 'session/fork'] as const) {
      const opened: Promise<unknown> = editor.agent.request(method, { sessionId, cwd: here.docs, mcpServers: [] })
      await expect(opened, `${method} ${sessionId.slice(0, 60)}`).rejects.toThrow()
    }
    const prompt = editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Hi.' }] })
    await expect(prompt).rejects.toThrow()
  }
  const linked = editor.agent.request('session/load', { sessionId: 'link.chatmd', cwd: here.docs, mcpServers: [] })
  await linked.catch(() => {})
  expect(JSON.stringify(editor.updates)).not.toMatch(/Outside|Kept|secret/)
  expect(here.model.requests).toEqual([])
})

test('sessions work in folders below the one that the command was started for, and nowhere else', async () => {
  const here = await place({ 'sub/a.txt': 'a' }, quiet)
  symlinkSync(here.folder, join(here.docs, 'out'))
  const editor = await openEditor(here, { args: ['sub', '--model', 'openai-compatible:test'] })
  for (const cwd of [
    here.docs,
    '/',
    'sub',
    `${here.docs}/sub/..`,
    join(here.docs, 'out'),
    '/nowhere',
    '',
    '/etc/hostname',
  ]) {
    const opened = editor.agent.request('session/new', { cwd, mcpServers: [] })
    await expect(opened, cwd).rejects.toThrow(/cwd/)
  }
  expect((await ask(editor, join(here.docs, 'sub'), 'Hi.')).stopReason).toBe('end_turn')
})

test('servers that a client names are asked about before they start, and keep no secrets in the document', async () => {
  const here = await place({}, quiet)
  const marker = join(here.folder, 'started')
  const editor = await openEditor(here, { permit: () => ({ outcome: { outcome: 'cancelled' } }) })
  const server = { name: 'evil', command: 'touch', args: [marker], env: [] }
  const opened = await editor.agent.request('session/new', { cwd: here.docs, mcpServers: [server] })
  const { sessionId } = opened as { sessionId: string }
  await editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Hi.' }] }).catch(() => {})
  expect(editor.permissions[0]?.toolCall.title).toContain('touch')
  expect(existsSync(marker)).toBe(false)
  const withKey = { ...server, env: [{ name: 'KEY', value: 'secret' }] }
  const refused = editor.agent.request('session/new', { cwd: here.docs, mcpServers: [withKey] })
  await expect(refused).rejects.toThrow('variables')
  const withHeader = {
    type: 'http',
    name: 'h',
    url: 'http://127.0.0.1:1/',
    headers: [{ name: 'a', value: 'secret' }],
  } as const
  await expect(editor.agent.request('session/new', { cwd: here.docs, mcpServers: [withHeader] })).rejects.toThrow(
    'headers',
  )
})

test('lines that are no messages, answers to nothing and messages of any size leave the agent alive', async () => {
  const here = await place({}, quiet)
  const editor = await openEditor(here)
  const lines = [
    'no json',
    '{"jsonrpc":"2.0"',
    '[]',
    'null',
    '{"jsonrpc":"2.0","id":77,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}',
    '{"jsonrpc":"2.0","id":"x","method":"no/such"}',
    '{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":{"__proto__":1},"prompt":"x"}}',
    `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"${'y'.repeat(1_000_000)}"}}`,
    '\u0000\ufffd',
  ]
  for (const line of lines)
    await new Promise(done =>
      editor.child.stdin.write(
        `${line}
`,
        done,
      ),
    )
  expect((await ask(editor, here.docs, 'Hi.')).stopReason).toBe('end_turn')
  const audio = { type: 'audio', data: '', mimeType: 'audio/wav' } as const
  const { sessionId } = await editor.agent.request('session/new', { cwd: here.docs, mcpServers: [] })
  await expect(editor.agent.request('session/prompt', { sessionId, prompt: [audio] })).rejects.toThrow('audio')
  await expect(editor.agent.request('session/prompt', { sessionId, prompt: [] })).rejects.toThrow('empty')
})

test('an option that was not offered decides nothing, even if another question offers it', async () => {
  const edit = { name: 'find_and_replace', input: { path: 'a.txt', search: 'not there', replace: 'x' } }
  const here = await place({ 'a.txt': 'old\n' }, perTurn({ calls: [edit] }, { text: 'Ok.' }))
  for (const option of ['always', 'explain']) {
    const editor = await openEditor(here, { permit: () => choose(option) })
    const { sessionId } = await ask(editor, here.docs, 'Go.')
    const [question] = editor.permissions
    expect(question!.options.map(({ optionId }) => optionId)).not.toContain(option)
    expect(readFileSync(join(here.docs, sessionId), 'utf8')).not.toContain('approved=')
  }
})
