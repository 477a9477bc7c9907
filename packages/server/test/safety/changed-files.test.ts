import { mkdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunResource } from '@argot/server'
import type { ApprovalCheckResult } from '@argot/server/api'
import { expect, test } from 'vitest'
import { call, finish } from '../../../agent/test/scripted-model.ts'
import { type ServedFolder, serveFolder } from '../served-folder.ts'

const tools = ['find_and_replace', 'write_file', 'apply_patch'].map(name => `<tool name="${name}"/>\n`).join('')
const files = {
  'chat.chatmd': `${tools}\n<user>\nDo it.\n</user>\n`,
  'notes/todo.md': 'one\ntwo\nthree\nfour\nfive\n',
}
const replace = { path: 'notes/todo.md', search: 'five', replace: '5' }
const write = { path: 'notes/todo.md', content: 'new\n' }

interface Waiting extends ServedFolder {
  run: RunResource
  todo: string
  check(): Promise<ApprovalCheckResult>
  approve(input?: unknown): Promise<RunResource>
}

/** A run that waits for an answer about a call. */
async function waitFor(tool: string, input: unknown): Promise<Waiting> {
  const served = await serveFolder([[...call('c1', tool, input), finish('tool-calls')], 'Done.'], { files })
  const { id } = await served.post('/api/runs', { document: 'chat.chatmd' })
  const run = await served.until(id, 'waiting')
  const { approvalId, inputHash } = run.pending[0]!
  return {
    ...served,
    run,
    todo: join(served.folder, 'notes/todo.md'),
    check: async () => {
      // A result serves everyone for a moment.
      await new Promise(resolve => setTimeout(resolve, 150))
      return served.get<ApprovalCheckResult>(`/api/runs/${id}/approvals/${approvalId}/check`)
    },
    async approve(edited) {
      const answer = { approvalId, inputHash, approved: true, ...(edited !== undefined && { input: edited }) }
      await served.post(`/api/runs/${id}/approvals`, { answers: [answer] })
      return served.until(id, 'done')
    },
  }
}

test('a waiting edit is checked against the file as it is: it applies with its line numbers, fails, and applies again', async () => {
  const { todo, check } = await waitFor('find_and_replace', replace)
  expect(await check()).toMatchObject({ state: 'applies', diff: expect.stringContaining('@@ -2,4 +2,4 @@') })
  await writeFile(todo, 'zero\none\ntwo\nthree\nfour\nfive\n')
  expect(await check()).toMatchObject({ state: 'applies', diff: expect.stringContaining('@@ -3,4 +3,4 @@') })
  await writeFile(todo, 'one\n')
  const gone = await check()
  expect(gone).toMatchObject({ state: 'fails', problem: 'The text is not in `notes/todo.md`.' })
  expect(gone.diff).toBeUndefined()
  await rm(todo)
  expect((await check()).state).toBe('fails')
  await writeFile(todo, files['notes/todo.md'])
  expect((await check()).state).toBe('applies')
})

test('a file that changed while a whole write waited is not written over; the answer may come to another process', async () => {
  const waiting = await waitFor('write_file', write)
  expect((await waiting.check()).state).toBe('applies')
  await writeFile(waiting.todo, 'one\nof somebody else\n')
  expect((await waiting.check()).state).toBe('changed')
  const again = await waiting.restart(['Done.'])
  const { id, pending } = waiting.run
  const { approvalId, inputHash } = pending[0]!
  await again.post(`/api/runs/${id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await again.until(id, 'done')
  expect(await readFile(waiting.todo, 'utf8')).toBe('one\nof somebody else\n')
  expect(await again.read('.chatmd/sidecars/chat.chatmd.jsonl')).toContain('TOOL_FILE_CHANGED')
})

test('an edited input does not write over it either, and an unchanged file is written', async () => {
  const waiting = await waitFor('write_file', write)
  await writeFile(waiting.todo, 'one\nof somebody else\n')
  await waiting.approve({ ...write, content: 'mine\n' })
  expect(await readFile(waiting.todo, 'utf8')).toBe('one\nof somebody else\n')
  const quiet = await waitFor('write_file', write)
  await quiet.approve()
  expect(await readFile(quiet.todo, 'utf8')).toBe('new\n')
})

test('a check stays in the folders of the run: a file that became a link out of them says nothing of its target', async () => {
  const { folder, todo, check } = await waitFor('find_and_replace', replace)
  const outside = join(folder, '..', 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), 'five secrets\n')
  await unlink(todo)
  await symlink(join(outside, 'secret.txt'), todo)
  const result = await check()
  expect(result.state).toBe('fails')
  expect(JSON.stringify(result)).not.toContain('secrets')
})

test('a check is about a question of the run, is for those who may ask, and few run at a time', async () => {
  const { run, ask, get, approve } = await waitFor('write_file', write)
  const { approvalId } = run.pending[0]!
  const path = `/api/runs/${run.id}/approvals/${approvalId}/check`
  expect((await ask('GET', `/api/runs/${run.id}/approvals/none/check`)).status).toBe(404)
  expect((await ask('GET', `/api/runs/none/approvals/${approvalId}/check`)).status).toBe(404)
  const foreign = await ask('GET', path, undefined, { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' })
  expect(foreign.status).toBe(403)
  const results = await Promise.all(Array.from({ length: 50 }, () => get<ApprovalCheckResult>(path)))
  expect(new Set(results.map(({ at }) => at)).size).toBe(1)
  await approve()
  expect((await ask('GET', path)).status).toBe(404)
})
