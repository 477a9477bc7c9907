import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choose, openEditor, place, showUpdates } from './acp-client.ts'

const edit = { name: 'write_file', input: { path: 'a.txt', content: 'new\n' } }

test('a prompt becomes a document, and its calls, questions and answer reach the client', async () => {
  const here = await place(
    { 'a.txt': 'old\n' },
    { text: 'I look first.', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
    { reasoning: { text: 'Hm.' }, calls: [edit] },
    { text: 'Done.' },
  )
  const editor = await openEditor(here)
  expect(editor.about).toMatchObject({ agentInfo: { name: 'argot' }, agentCapabilities: { loadSession: true } })
  const { sessionId, modes } = await editor.agent.request('session/new', { cwd: here.docs, mcpServers: [] })
  expect(modes?.currentModeId).toBe('ask')
  const reply = await editor.agent.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: 'Change a.txt.' }],
  })
  expect(reply.stopReason).toBe('end_turn')
  expect(readFileSync(join(here.docs, 'a.txt'), 'utf8')).toBe('new\n')
  console.error(readFileSync(join(here.docs, sessionId), 'utf8'))
  console.error(JSON.stringify(showUpdates(editor.updates, sessionId).items, undefined, 1), [...showUpdates(editor.updates, sessionId).calls])
  editor.child.kill('SIGKILL')
  const other = await openEditor(here)
  await other.agent.request('session/load', { sessionId, cwd: here.docs, mcpServers: [] })
  console.error(JSON.stringify(showUpdates(other.updates, sessionId).items, undefined, 1), [...showUpdates(other.updates, sessionId).calls])
  console.error(JSON.stringify(await other.agent.request('session/list', { cwd: here.docs })), other.stderr())
})
