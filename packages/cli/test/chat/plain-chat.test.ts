import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { describe, expect, onTestFinished, test } from 'vitest'
import { templates } from '../../../../apps/web/src/documents/templates.ts'
import { startCompatible } from '../../../agent/test/model/servers/compatible.ts'
import type { ModelServer, ScriptedReply } from '../../../agent/test/model/servers/model-server.ts'
import { newDocument } from '../../src/chat/new-document.ts'
import { argot, folderWith } from '../argot.ts'
import { hasScript } from '../on-terminal.ts'
import { ChatScreen } from './chat-screen.ts'

const model = 'openai-compatible:test'

async function serveReplies(replies: readonly ScriptedReply[]): Promise<ModelServer> {
  const next = [...replies]
  const server = await startCompatible(request =>
    request.path.endsWith('/models') ? { body: { data: [] } } : (next.shift() ?? { text: 'The script is over.' }),
  )
  onTestFinished(() => server.close())
  return server
}

describe('argot chat in a pipe', () => {
  test('answers one message on stdout, and -c continues the same document', async () => {
    const folder = await folderWith({})
    const server = await serveReplies([{ text: 'Hello.' }, { text: 'Hello again.' }])
    const env = { ...server.env, HOME: folder }
    const first = await argot(['chat', '-m', model], { cwd: folder, env, input: 'hi\nthere\n' })
    expect(first).toMatchObject({ status: 0, stdout: 'Hello.\n' })
    const second = await argot(['chat', '-c', '-m', model], { cwd: folder, env, input: 'and now?' })
    expect(second).toMatchObject({ status: 0, stdout: 'Hello again.\n' })
    const names = readdirSync(join(folder, 'chats')).filter(name => /.\.chatmd$/.test(name))
    expect(names).toHaveLength(1)
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/hi\\nthere.*Hello\..*and now\?/)
  })

  test.each([
    [['-c'], 'There are no conversations in this folder yet.'],
    [['-t', 'read_fil'], 'Did you mean `read_file`?'],
    [['-c', 'x.chatmd'], 'Use a document or --continue, not both.'],
  ])('says what is wrong with %j', async (args, words) => {
    const folder = await folderWith({})
    const { status, stderr } = await argot(['chat', ...args], { cwd: folder, env: { HOME: folder }, input: 'hi' })
    expect(status).toBe(2)
    expect(stderr).toContain(words)
  })

  test('has the tools of the template that the page offers first', () => {
    const tools = [...newDocument.matchAll(/^<tool name="(\w+)"\/>$/gm)].map(([, name]) => name)
    expect(tools).toEqual(templates[0]!.tools)
  })

  test('-c takes the conversation that changed last, not a prompt', async () => {
    const answered = '<user>\nOne\n</user>\n\n<assistant>\nFirst.\n</assistant>\n'
    const folder = await folderWith({
      'old.chatmd': answered,
      'last.chatmd': answered,
      'prompt.chatmd': '<user>\nNo\n</user>\n',
    })
    for (const [path, at] of Object.entries({ 'old.chatmd': 1, 'last.chatmd': 2, 'prompt.chatmd': 3 }))
      await utimes(join(folder, path), at, at)
    const server = await serveReplies([{ text: 'Second.' }])
    const env = { ...server.env, HOME: folder }
    await argot(['chat', '-c', '-m', model], { cwd: folder, env, input: 'Two' })
    expect(readFileSync(join(folder, 'last.chatmd'), 'utf8')).toContain('Second.')
  })
})

describe.skipIf(!hasScript)('argot chat --plain', () => {
  test('speaks in sentences, asks in words, and redraws nothing', async () => {
    const folder = await folderWith({})
    const call = (path: string) => ({ calls: [{ name: 'write_file', input: { path, content: 'x' } }] })
    const server = await serveReplies([
      call('A.md'),
      { text: 'First paragraph.\n\nSecond.' },
      call('B.md'),
      { text: 'Not written.' },
    ])
    const chat = new ChatScreen(['--plain', '-m', model, '-t', 'write_file'], { cwd: folder, env: server.env })
    await chat.see('Type a message and press Enter.')
    chat.type('Write A\n')
    await chat.see('Run write_file? Type yes or no')
    chat.type('yes\n')
    await chat.see('That came before you could read the question.')
    expect(existsSync(join(folder, 'A.md'))).toBe(false)
    await new Promise(resolve => setTimeout(resolve, 600))
    chat.type('yes\n')
    await chat.see('That took')
    expect(chat.text).toContain('Tool: Wrote A.md.')
    expect(chat.text).toMatch(/Model: First paragraph\.\n+Second\./)
    expect(readFileSync(join(folder, 'A.md'), 'utf8')).toBe('x')
    chat.type('Write B\\\n')
    chat.type('please\n')
    await chat.until(() => chat.text.split('Run write_file?').length === 3)
    await new Promise(resolve => setTimeout(resolve, 600))
    chat.type('no, it is late\n')
    await chat.see('Not written.')
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/Write B\\nplease.*it is late/)
    chat.type('/quit\n')
    expect(await chat.end()).toBe(0)
    expect(chat.raw).not.toContain('\x1b')
  })
})

describe.skipIf(!hasScript)('a document that others use', () => {
  test('waits for another process that has it, and says which', async () => {
    const folder = await folderWith({ 'x.chatmd': '<user>\nOne\n</user>\n\n<assistant>\nFirst.\n</assistant>\n' })
    const server = await serveReplies([{ text: 'Second.' }])
    const chat = new ChatScreen(['-m', model, 'x.chatmd'], { cwd: folder, env: server.env })
    await chat.see('First.')
    const lease = await folderStore(folder).leases.take('x.chatmd')
    chat.send('Two')
    await chat.see(new RegExp(`process ${process.pid}`))
    expect(chat.text).not.toContain('Second.')
    await lease.release()
    await chat.see('Second.')
  })

  test('shows what another process says in it, and is continued by argot run', async () => {
    const folder = await folderWith({ 'x.chatmd': '<user>\nOne\n</user>\n\n<assistant>\nFirst.\n</assistant>\n' })
    const server = await serveReplies([{ text: 'Second.' }, { text: 'Third.' }])
    const chat = new ChatScreen(['-m', model, 'x.chatmd'], { cwd: folder, env: server.env })
    await chat.see('First.')
    const env = { ...server.env, HOME: folder }
    const run = await argot(['run', 'x.chatmd', '-m', model, '-i', 'Two'], { cwd: folder, env })
    expect(run.stdout).toBe('Second.\n')
    await chat.see(/> Two\s+Second\./)
    chat.send('Three')
    await chat.see('Third.')
    expect(chat.text.match(/Second\./g)).toHaveLength(1)
  })
})
