import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { branchDocument } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { makeDocument, openOn, prompt, readBack, record } from './runs.ts'
import { ownStreams } from './streams.ts'

/** A document with a run, a second question and a second run. */
async function conversation(): Promise<string> {
  const file = await makeDocument()
  await record(file, ownStreams[0]![1])
  const transcript = await openOn(file)
  const parts = [{ type: 'text', id: 'p', text: 'And now?', state: 'done' }] as const
  await transcript.write({ id: 'u-2', role: 'user', status: 'sent', parts })
  await transcript.close()
  const second = ownStreams[1]![1].map(chunk => ('messageId' in chunk ? { ...chunk, messageId: 'msg-2' } : chunk))
  await record(file, second, { id: 'run-2' })
  return file
}

test('a branch has the history up to a message, in a new document; the files of its calls serve both', async () => {
  const file = await conversation()
  const before = readFileSync(file, 'utf8')
  const [first, second] = await readBack(file)
  const edited = await branchDocument(file, 'u-2')
  expect(edited).toBe(join(dirname(file), 'chat.1.chatmd'))
  expect(await readBack(edited)).toEqual([first])
  expect(readFileSync(edited, 'utf8')).not.toContain('And now?')
  const retried = await branchDocument(file, 'msg-2')
  expect(basename(retried)).toBe('chat.2.chatmd')
  expect(readFileSync(retried, 'utf8')).toContain('And now?')
  expect(await readBack(retried)).toEqual([first])
  const whole = await branchDocument(file, 'msg-2', { including: true })
  expect(await readBack(whole)).toEqual([first, second])
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a branch of a branch is one more of the same document, and can be run', async () => {
  const file = await conversation()
  const again = await branchDocument(await branchDocument(file, 'msg-2'), 'msg-1')
  expect(basename(again)).toBe('chat.2.chatmd')
  expect(readFileSync(again, 'utf8')).toBe(`${prompt}\n`)
  await record(again, ownStreams[0]![1])
  expect(await readBack(again)).toHaveLength(1)
  expect(readdirSync(join(dirname(file), '.chatmd', 'runs'))).toEqual(['chat.2.chatmd', 'chat.chatmd'])
})

test('messages without an id go by their place, and settings further down are kept', async () => {
  const source = `<user>\none\n</user>\n<reasoning id="r">\nhm\n</reasoning>\n<assistant>\ntwo\n</assistant>\n<assistant>\nthree\n</assistant>\n<config model="demo"/>\n<tool name="read_file"/>\n<user>\nfour\n</user>\n`
  const file = await makeDocument(source)
  const at = async (id: string, including = false): Promise<string> =>
    readFileSync(await branchDocument(file, id, { including }), 'utf8')
  const settings = '<config model="demo"/>\n\n<tool name="read_file"/>\n'
  expect(await at('chatmd-0')).toBe(settings)
  expect(await at('chatmd-1')).toBe(`<user>\none\n</user>\n\n${settings}`)
  expect(await at('chatmd-1', true)).toContain('two')
  expect(await at('chatmd-1', true)).not.toContain('three')
  expect(await at('chatmd-3')).toContain('two')
  expect(await at('chatmd-4', true)).toBe(source)
})

test('a branch of a link lies beside the document', async () => {
  const file = await conversation()
  const link = join(dirname(file), 'elsewhere', 'link.chatmd')
  mkdirSync(dirname(link))
  symlinkSync(file, link)
  expect(await branchDocument(link, 'u-2')).toBe(join(dirname(file), 'chat.1.chatmd'))
})

test('a message that is not there is said', async () => {
  const file = await conversation()
  await expect(branchDocument(file, 'msg-9')).rejects.toMatchObject({ code: 'RUN_MESSAGE_NOT_FOUND' })
})
