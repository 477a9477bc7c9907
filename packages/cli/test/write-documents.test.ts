import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createResolver } from '@argot/agent/workshop'
import { toolCalls } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import { describe, expect, onTestFinished, test } from 'vitest'
import { argot } from './argot.ts'

/** A document whose one call has this id and this output. */
function conversation(output: string): string {
  return [
    '<user>\nGo\n</user>\n',
    '<tool_call tool_call_id="call_1" function_name="look">\nRAW|\n{"of":"x"}\n|RAW\n</tool_call>\n',
    `<tool_response tool_call_id="call_1">\nRAW|\n${output}\n|RAW\n</tool_response>\n`,
    '<assistant>\nDone.\n</assistant>\n',
  ].join('\n')
}

async function place(files: Record<string, string>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-write-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** What the call of a document gave, read with the files beside it. */
async function outputOf(folder: string, name: string): Promise<unknown> {
  const file = join(folder, name)
  const { document } = parseChatMd(await readFile(file, 'utf8'), { file })
  const { messages, diagnostics } = await expand(document, { resolver: createResolver({ cwd: folder }) })
  expect(diagnostics).toEqual([])
  return messages.flatMap(({ message }) => toolCalls(message)).map(call => call.output)
}

// Finding 1 of the attacks: documents with the same call ids, converted into one folder, had each other's payloads.
// Siblings: several documents in one go, and a transcript that a run copies into the folder with --output.
describe('documents whose calls have the same ids, in one folder', () => {
  const external = ['--to', 'chatmd', '--payloads', 'external'] as const

  test('keep their own payloads when they are converted one after the other', async () => {
    const folder = await place({ 'a.chatmd': conversation('A'), 'b.chatmd': conversation('B') })
    for (const name of ['a', 'b']) {
      const made = await argot(['convert', `${name}.chatmd`, ...external, '-o', `out/${name}.chatmd`], { cwd: folder })
      expect(made).toMatchObject({ status: 0, stderr: '' })
    }
    expect(await outputOf(folder, 'out/a.chatmd')).toEqual(['A'])
    expect(await outputOf(folder, 'out/b.chatmd')).toEqual(['B'])
  })

  test('keep their own payloads when they are converted together', async () => {
    const folder = await place({ 'a.chatmd': conversation('A'), 'b.chatmd': conversation('B') })
    const made = await argot(['convert', 'a.chatmd', 'b.chatmd', ...external, '-o', 'out'], { cwd: folder })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect([await outputOf(folder, 'out/a.chatmd'), await outputOf(folder, 'out/b.chatmd')]).toEqual([['A'], ['B']])
  })

  test('are not given to a copy that would have to share a name: the run is refused', async () => {
    const folder = await place({ 'a.chatmd': conversation('A'), 'b.chatmd': conversation('B') })
    await argot(['convert', 'a.chatmd', ...external, '-o', 'one/a.chatmd'], { cwd: folder })
    await argot(['convert', 'b.chatmd', ...external, '-o', 'two/b.chatmd'], { cwd: folder })
    const args = ['run', 'one/a.chatmd', '--model', 'demo', '--input', 'On', '-o', 'two/a.chatmd']
    const run = await argot(args, { cwd: folder })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain('belongs to another document')
    expect(await outputOf(folder, 'two/b.chatmd')).toEqual(['B'])
  })

  test.each(['chatmd', 'callout', 'ui-messages', 'jsonl'])('%s: a file that is there is not written over', async to => {
    const folder = await place({ 'a.chatmd': conversation('A'), 'there.txt': 'mine' })
    const refused = await argot(['convert', 'a.chatmd', '--to', to, '-o', 'there.txt'], { cwd: folder })
    expect(refused.status).not.toBe(0)
    expect(refused.stderr).toContain('already exists')
    expect(await readFile(join(folder, 'there.txt'), 'utf8')).toBe('mine')
  })
})

// Finding 2 of the attacks: fmt --write took no lock and wrote in place. Siblings: a document that changes in between,
// and one that a crash leaves (packages/agent/test/store).
describe('argot fmt --write', () => {
  const loose = '<user>\n\n\nGo\n\n\n</user>'

  test('does not touch a document that is being run', async () => {
    const folder = await place({ 'a.chatmd': loose })
    const lease = await folderStore(folder).leases.take('a.chatmd')
    const refused = await argot(['fmt', '--write', 'a.chatmd'], { cwd: folder })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('RUN_LOCKED')
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).toBe(loose)
    await lease.release()
    expect(await argot(['fmt', '--write', 'a.chatmd'], { cwd: folder })).toMatchObject({ status: 0 })
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).not.toBe(loose)
  })

  test('leaves nothing but the document', async () => {
    const folder = await place({ 'a.chatmd': loose })
    expect(await argot(['fmt', '--write', 'a.chatmd'], { cwd: folder })).toMatchObject({ status: 0 })
    expect(await readdir(folder)).toEqual(['a.chatmd'])
  })
})
