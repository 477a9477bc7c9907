import { readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '@argot/cli'
import { expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { FakeTerminal } from './terminal.ts'

const document = `<config model="openai-compatible:test" tool_syntax="xml"/>
<tool name="read_file"/>

<user>
What is in notes.md?
</user>
`
const call = '<tool:read_file>\n<param:path>notes.md</param:path>\n</tool:read_file>'
const replies = [{ text: `I read it.\n\`\`\`xml\n${call}\n\`\`\`` }, { text: call }, { text: 'It says hello.' }]
const words = 'You showed a call of read_file in a code block. Write it outside to run it.'
const notice = "The model only showed a call of read_file in a code block, so it didn't run."

/** A document in a folder that is also the home of the user, and a model that shows its call first. */
async function place(said = replies) {
  const folder = await realpath(await folderWith({ 'chat.chatmd': document, 'notes.md': 'hello\n' }))
  const server = await startCompatible(said)
  onTestFinished(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, env: { ARGOT_BASE_URL: server.url }, file: join(folder, 'chat.chatmd') }
}

test('in a pipe the person hears of it on stderr, and stdout is the answer', async () => {
  const { folder, env, file } = await place()
  const { status, stdout, stderr } = await inProcess(['run', file], { cwd: folder, env })
  expect([status, stdout]).toEqual([0, 'It says hello.\n'])
  expect(stderr).toContain(notice)
  expect(await readFile(file, 'utf8')).toContain(`part="data-argot-correction"`)
  const checked = await inProcess(['check', file], { cwd: folder })
  expect(checked.status).toBe(0)
})

test('with --json it is a notice on stderr and a chunk on stdout', async () => {
  const { folder, env, file } = await place()
  const { stdout, stderr } = await inProcess(['run', file, '--json'], { cwd: folder, env })
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  expect(lines(stderr)).toContainEqual({ notice: expect.stringContaining(notice) })
  expect(lines(stdout)).toContainEqual(
    expect.objectContaining({ type: 'data-argot-correction', data: { text: words, toolName: 'read_file' } }),
  )
})

test('a reply that has lost an opening tag is told of too', async () => {
  const { folder, env, file } = await place([{ text: '<param:path>notes.md</param:path>\n</tool:read_file>' }])
  const { stderr } = await inProcess(['run', file], { cwd: folder, env })
  expect(stderr).toContain('something like a call of read_file')
})

test('a terminal shows the correction as the words of Argot, live and replayed', async () => {
  const { folder, env, file } = await place()
  for (const args of [
    ['run', file],
    ['replay', file],
  ]) {
    const terminal = new FakeTerminal(140, 60)
    const io = { stdin: new PassThrough(), stdout: terminal, stderr: terminal }
    await main(args, { ...io, env: { HOME: folder, ...env }, cwd: () => folder } as never)
    expect(terminal.text).toContain(`Argot to the model: ${words}`)
    if (args[0] === 'run') expect(terminal.text).toContain(notice)
  }
})
