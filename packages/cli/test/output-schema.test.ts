import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const schema = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'
const impossible = '{"type":"object","properties":{"city":{"type":"string","pattern":"^x{9}$"}},"required":["city"]}'

test('an answer that fits is JSON alone in a pipe, from a document and from a question', async () => {
  const source = '<config model="demo" output="city.json"/>\n\n<user>\nTell me about Oslo.\n</user>\n'
  const cwd = await folderWith({ 'a.chatmd': source, 'city.json': schema })
  const run = await inProcess(['run', join(cwd, 'a.chatmd')], { cwd })
  expect([run.status, JSON.parse(run.stdout)]).toEqual([0, { city: 'Oslo' }])
  expect(await readFile(join(cwd, 'a.chatmd'), 'utf8')).toContain('{"city":"Oslo"}')
  const args = ['ask', 'Tell me about Rome', '--model', 'demo', '--output-schema', join(cwd, 'city.json')]
  const asked = await inProcess(args, { cwd })
  expect([asked.status, JSON.parse(asked.stdout)]).toEqual([0, { city: 'Rome' }])
  const json = await inProcess([...args, '--json'], { cwd })
  expect(JSON.parse(json.stderr.trim().split('\n').at(-1)!)).toMatchObject({ result: { output: { city: 'Rome' } } })
})

test('an answer that does not fit is said, and the exit status is 1', async () => {
  const cwd = await folderWith({ 'city.json': impossible })
  const args = ['ask', 'Tell me about Rome', '--model', 'demo', '--output-schema', join(cwd, 'city.json')]
  const { status, stderr } = await inProcess(args, { cwd })
  expect(status).toBe(1)
  expect(stderr).toContain("The answer doesn't match the requested schema: `city` must match the pattern")
})

test.each([
  ['[]', 'it is not an object'],
  ['{', 'is not JSON'],
])('a file that holds %s is wrong usage', async (text, words) => {
  const cwd = await folderWith({ 'city.json': text })
  const { status, stderr } = await inProcess(['ask', 'Hi', '--output-schema', join(cwd, 'city.json')], { cwd })
  expect([status, stderr]).toEqual([2, expect.stringContaining(words)])
})
