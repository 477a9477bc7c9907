import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '@argot/cli'
import { expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { FakeTerminal } from './terminal.ts'

const turn = (at: number) =>
  `<user>\nQUESTION-${at} ${'word '.repeat(300)}\n</user>\n\n<assistant>\nANSWER-${at}\n</assistant>\n`
const answered = ['<config model="openai-compatible:test"/>\n', ...[1, 2, 3, 4, 5, 6].map(turn)].join('\n')
const open = `${answered}\n<user>\nTASK\n</user>\n`

async function place(document: string, replies: string[]) {
  const folder = await realpath(await folderWith({ 'chat.chatmd': document }))
  const server = await startCompatible(replies.map(text => ({ text, usage: { input: 100, output: 10 } })))
  onTestFinished(() => server.close())
  const prompts = () => server.requests.map(({ body }) => JSON.stringify(body))
  return { folder, env: server.env as Record<string, string>, file: join(folder, 'chat.chatmd'), prompts }
}

test('argot run --compact summarises an answered document, and is done', async () => {
  const { folder, env, file } = await place(answered, ['They asked six questions.'])
  const { status, stdout, stderr } = await inProcess(['run', file, '--compact'], { cwd: folder, env })
  expect([status, stdout, stderr.slice(0, 5)]).toEqual([0, '', 'Turns'])
  expect(stderr).toMatch(
    /^Turns 1–\d+ are summarised for the model; the document keeps them\. The summary used 110 tokens\.\n$/,
  )
  const after = await readFile(file, 'utf8')
  expect(after.startsWith(answered)).toBe(true)
  expect(after).toContain('They asked six questions.')
  expect((await inProcess(['check', file], { cwd: folder })).status).toBe(0)
  const again = await inProcess(['run', file, '--dry-run', '--input', 'More?'], { cwd: folder, env })
  expect(again.stdout).toContain('They asked six questions.')
  expect(again.stdout).not.toContain('QUESTION-1')
})

test('--context makes a run summarise, and a terminal shows it folded, live and replayed', async () => {
  const { folder, env, file } = await place(open, ['They asked six questions.', 'Done.'])
  for (const args of [
    ['run', file, '--context', '2200'],
    ['replay', file],
  ]) {
    const terminal = new FakeTerminal(140, 60)
    const io = { stdin: new PassThrough(), stdout: terminal, stderr: terminal }
    await main(args, { ...io, env: { HOME: folder, ...env }, cwd: () => folder } as never)
    expect(terminal.text).toMatch(/Turns 1–\d+ are summarised for the model; the document keeps them\./)
    expect(terminal.text).not.toContain('They asked six questions.')
    expect(terminal.text).toContain('Done.')
  }
  expect(await readFile(file, 'utf8')).toContain('They asked six questions.')
})
