import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isToolPart, type Message } from '@argot/core'
import { expect, test, vi } from 'vitest'
import { readMessages } from '../../src/documents/read-messages.ts'
import {
  ask,
  choose,
  type Editor,
  openEditor,
  type Place,
  perTurn,
  place,
  type Screen,
  screenOf,
} from './acp-client.ts'

const read = { name: 'read_file', input: { path: 'a.txt' } }
const write = { name: 'write_file', input: { path: 'a.txt', content: 'new\n' } }
const script = perTurn(
  { text: 'I look first.', calls: [read] },
  { reasoning: { text: 'Hm.' }, calls: [write] },
  { text: 'Done.' },
)
const files = { 'a.txt': 'old\n' }

function textIn({ docs }: Place, file = 'a.txt'): string {
  return readFileSync(join(docs, file), 'utf8')
}

/** What the document has, as a client would show it. */
async function documentScreen({ docs, env }: Place, sessionId: string): Promise<Screen['items']> {
  const result = await readMessages(join(docs, sessionId), { cwd: docs, env })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  const items: Screen['items'] = []
  for (const { message } of result.messages) addMessage(message, items)
  return items
}

function addMessage({ role, parts }: Message, items: Screen['items']): void {
  for (const part of parts) {
    if (isToolPart(part)) items.push({ call: part.toolInvocation.key })
    else if (part.type === 'text' || part.type === 'reasoning') {
      const who = role === 'user' ? 'user' : part.type === 'text' ? 'agent' : 'thought'
      const last = items.at(-1)
      if (last !== undefined && 'who' in last && last.who === who) last.text += part.text
      else items.push({ who, text: part.text })
    }
  }
}

async function load(editor: Editor, { docs }: Place, sessionId: string): Promise<Screen> {
  await editor.agent.request('session/load', { sessionId, cwd: docs, mcpServers: [] })
  return screenOf(editor, sessionId)
}

test('a prompt becomes a document; its calls, its question and its answer reach the client, and again when it is loaded', async () => {
  const here = await place(files, script)
  const editor = await openEditor(here)
  expect(editor.about).toMatchObject({ agentInfo: { name: 'argot' }, agentCapabilities: { loadSession: true } })
  const { sessionId, stopReason } = await ask(editor, here.docs, 'Change a.txt.')
  expect(stopReason).toBe('end_turn')
  expect(textIn(here)).toBe('new\n')
  const live = await screenOf(editor, sessionId)
  expect(live.items).toEqual([
    { who: 'agent', text: 'I look first.' },
    { call: 'c1' },
    { who: 'thought', text: 'Hm.' },
    { call: 'c2' },
    { who: 'agent', text: 'Done.' },
  ])
  const path = join(here.docs, 'a.txt')
  expect(live.calls.get('c1')).toMatchObject({
    title: 'Read a.txt',
    kind: 'read',
    status: 'completed',
    rawInput: read.input,
  })
  expect(live.calls.get('c2')).toMatchObject({
    ...{ title: 'Wrote a.txt', kind: 'edit', status: 'completed', locations: [{ path }] },
    content: [{ type: 'diff', path, oldText: 'old', newText: 'new' }],
  })
  expect(editor.permissions).toMatchObject([
    {
      sessionId,
      toolCall: { toolCallId: 'c2', kind: 'edit', rawInput: write.input, content: [{}, { type: 'diff', path }] },
    },
  ])
  expect(editor.permissions[0]!.options.map(({ kind }) => kind)).toEqual([
    'allow_once',
    'allow_always',
    'reject_once',
    'reject_always',
  ])
  expect(textIn(here, sessionId)).toMatch(/<tool_response tool_call_id="c2" approved="yes" approved_by="Ada"/)
  editor.child.kill('SIGKILL')
  const other = await openEditor(here)
  const loaded = await load(other, here, sessionId)
  expect(loaded.items).toEqual([{ who: 'user', text: 'Change a.txt.' }, ...live.items])
  expect([...loaded.calls]).toEqual([...live.calls])
  expect(loaded.items).toEqual(await documentScreen(here, sessionId))
  const { sessions } = await other.agent.request('session/list', { cwd: here.docs })
  expect(sessions).toMatchObject([{ sessionId, cwd: here.docs, title: 'Change a.txt.' }])
  const fork = await other.agent.request('session/fork', { sessionId, cwd: here.docs })
  expect(fork.sessionId).not.toBe(sessionId)
  const before = textIn(here, sessionId)
  await other.agent.request('session/prompt', { sessionId: fork.sessionId, prompt: [{ type: 'text', text: 'Again.' }] })
  expect(textIn(here, sessionId)).toBe(before)
  expect(textIn(here, fork.sessionId)).toContain('Again.')
})

test('permissions are approvals: once, always, and rejected with a reason; what was not offered decides nothing', async () => {
  const twice = perTurn(
    { calls: [write] },
    { calls: [{ ...write, input: { path: 'b.txt', content: 'b\n' } }] },
    { text: 'Ok.' },
  )
  const here = await place(files, twice)
  let reply = choose('reject', { reason: 'Not this file.' })
  const editor = await openEditor(here, { permit: () => reply })
  const rejected = await ask(editor, here.docs, 'Go.')
  expect(textIn(here, rejected.sessionId)).toContain('approval_reason="Not this file."')
  expect(JSON.stringify(here.model.requests)).toContain('Not this file.')
  expect(editor.permissions.length).toBe(2)
  reply = choose('never')
  await ask(editor, here.docs, 'Go.')
  expect(editor.permissions.length).toBe(3)
  reply = choose('anything')
  const undecided = await ask(editor, here.docs, 'Go.')
  expect(undecided.stopReason).toBe('end_turn')
  expect(textIn(here)).toBe('old\n')
  reply = choose('always')
  await ask(editor, here.docs, 'Go.')
  expect(editor.permissions.length).toBe(5)
  expect(textIn(here)).toBe('new\n')
  expect(textIn(here, 'b.txt')).toBe('b\n')
})

test('a question of the model is a form, and so is why a call is rejected', async () => {
  const question = { name: 'ask_user', input: { question: 'Which city?', options: ['Oslo', 'Rome'] } }
  const here = await place(files, perTurn({ calls: [question] }, { calls: [write] }, { text: 'Ok.' }))
  const editor = await openEditor(here, {
    capabilities: { elicitation: { form: {} } },
    permit: () => choose('explain'),
    fill: ({ message }) => ({
      action: 'accept',
      content: { answer: message === 'Which city?' ? 'Rome' : 'Too early.' },
    }),
  })
  const { sessionId } = await ask(editor, here.docs, 'Go.')
  expect(editor.forms).toMatchObject([
    { message: 'Which city?', requestedSchema: { properties: { answer: { enum: ['Oslo', 'Rome'] } } } },
    { message: "Why shouldn't write_file run?" },
  ])
  expect(JSON.stringify(here.model.requests)).toContain('Rome')
  expect(textIn(here, sessionId)).toContain('approval_reason="Too early."')
})

test('a prompt that is cancelled at any update ends as cancelled, with every call settled', async () => {
  const here = await place(files, script)
  let left = 0
  const editor = await openEditor(here, {
    onUpdate: (_, { agent, updates }) => {
      if (left-- === 0) void agent.notify('session/cancel', { sessionId: updates.at(-1)!.sessionId })
    },
  })
  const reasons: string[] = []
  for (let at = 0; reasons.at(-1) !== 'end_turn' && at < 40; at++) {
    left = at
    const { sessionId, stopReason } = await ask(editor, here.docs, 'Go.')
    reasons.push(stopReason)
    const { calls } = await screenOf(editor, sessionId)
    for (const [id, { status }] of calls) expect(['completed', 'failed'], `${id}, cancelled at ${at}`).toContain(status)
    writeFileSync(join(here.docs, 'a.txt'), 'old\n')
  }
  expect(reasons.length).toBeGreaterThan(5)
  expect(new Set(reasons.slice(0, -1))).toEqual(new Set(['cancelled']))
})

test('two sessions at once stay apart, and one session answers one prompt at a time', async () => {
  const here = await place(files, script)
  let release = (): void => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const editor = await openEditor(here, { permit: async () => held.then(() => choose('allow')) })
  const both = [ask(editor, here.docs, 'One.'), ask(editor, here.docs, 'Two.')]
  await vi.waitFor(() => expect(editor.permissions.length).toBe(2), 30_000)
  const { sessionId } = editor.permissions[0]!
  const second = editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'More.' }] })
  await expect(second).rejects.toThrow('still answering')
  release()
  for (const { sessionId: id, stopReason } of await Promise.all(both)) {
    expect(stopReason).toBe('end_turn')
    const { items } = await screenOf(editor, id)
    expect(items.at(-1)).toEqual({ who: 'agent', text: 'Done.' })
    expect((await documentScreen(here, id)).slice(1)).toEqual(items)
  }
})

test('a session that is killed while it waits for an answer is loaded as its document has it, and continues', async () => {
  const here = await place(files, script)
  const editor = await openEditor(here, { permit: () => new Promise(() => {}) })
  const { sessionId } = await editor.agent.request('session/new', { cwd: here.docs, mcpServers: [] })
  void editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go.' }] }).catch(() => {})
  await vi.waitFor(() => expect(editor.permissions.length).toBe(1), 30_000)
  editor.child.kill('SIGKILL')
  const other = await openEditor(here)
  const loaded = await load(other, here, sessionId)
  expect(loaded.items).toEqual(await documentScreen(here, sessionId))
  expect(textIn(here)).toBe('old\n')
  await other.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Do it now.' }] })
  expect(textIn(here)).toBe('new\n')
  const third = await openEditor(here)
  expect((await load(third, here, sessionId)).items).toEqual(await documentScreen(here, sessionId))
})

test("the editor's files are used after Argot's own checks, and its terminal only for programs that nothing confines", async () => {
  const shell = '<tool name="show" command="echo hi"/>\n<tool name="read_file"/>\n<tool name="write_file"/>\n'
  const outside = { name: 'write_file', input: { path: '../out.txt', content: 'x' } }
  const guarded = { name: 'write_file', input: { path: '.git/hooks/pre-commit', content: 'x' } }
  const here = await place(
    { ...files, 'new.chatmd': shell, '.git/HEAD': 'ref: refs/heads/main\n' },
    perTurn(
      { calls: [read] },
      { calls: [{ name: 'read_file', input: { path: '../../../etc/hostname' } }] },
      { calls: [write, outside, guarded] },
      { calls: [{ name: 'show', input: {} }] },
      { text: 'Ok.' },
    ),
  )
  const path = join(here.docs, 'a.txt')
  const asked: string[] = []
  const unsaved = new Map([[path, 'not saved yet\n']])
  const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }
  const args = ['--model', 'openai-compatible:test', '--new', 'new.chatmd', '--allow-exec', '--sandbox', 'off']
  const editor = await openEditor(here, { args, capabilities, asked, files: unsaved })
  const { sessionId } = await ask(editor, here.docs, 'Go.')
  expect(JSON.stringify(here.model.requests)).toContain('not saved yet')
  expect(new Set(asked)).toEqual(new Set([`read ${path}`, `write ${path}`, 'run echo hi', 'release']))
  expect(unsaved.get(path)).toBe('new\n')
  const question = editor.permissions.find(({ toolCall }) => toolCall.kind === 'execute')
  expect(JSON.stringify(question)).toContain('Not confined')
  expect(JSON.stringify((await screenOf(editor, sessionId)).calls.get('c6'))).toContain('from the terminal')
  expect(existsSync(join(here.docs, '../out.txt'))).toBe(false)
})

test('modes are approval policies, and a client cannot choose one that allows more than the command does', async () => {
  const here = await place(files, script)
  const editor = await openEditor(here, { args: ['--model', 'openai-compatible:test', '--approve', 'ask'] })
  const { sessionId, modes, configOptions } = await editor.agent.request('session/new', {
    cwd: here.docs,
    mcpServers: [],
  })
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(['ask', 'readonly', 'none'])
  expect(configOptions?.map(({ id }) => id)).toEqual(['model', 'syntax'])
  const set = (modeId: string) => editor.agent.request('session/set_mode', { sessionId, modeId })
  await expect(set('all')).rejects.toThrow('There is no mode "all"')
  await set('readonly')
  const configure = (configId: string, value: string) =>
    editor.agent.request('session/set_config_option', { sessionId, configId, value })
  await expect(configure('model', 'replay:/etc/passwd')).rejects.toThrow('recording')
  await expect(configure('syntax', 'hermez')).rejects.toThrow('hermes')
  expect((await configure('syntax', 'xml')).configOptions[1]).toMatchObject({ currentValue: 'xml' })
  await configure('syntax', 'default')
  await editor.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go.' }] })
  expect(editor.permissions).toEqual([])
  expect(textIn(here)).toBe('old\n')
})
