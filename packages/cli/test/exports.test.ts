import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const document =
  '<system>\nSecret instructions.\n</system>\n\n<user>\nHi <b>you</b>\n</user>\n\n<assistant>\n**Hello**\n</assistant>\n'

test('convert writes a page for reading, from a file, from standard input and from a folder', async () => {
  const cwd = await folderWith({ 'a.chatmd': document, 'b.chatmd': document })
  const one = await inProcess(['convert', join(cwd, 'a.chatmd'), '--to', 'html'], { cwd })
  expect([one.status, one.stderr]).toEqual([0, ''])
  expect(one.stdout).toContain('<title>a</title>')
  expect(one.stdout).toContain('Hi &lt;b&gt;you&lt;/b&gt;')
  expect(one.stdout).toContain('<strong>Hello</strong>')
  expect(one.stdout).not.toContain('Secret instructions')
  const piped = await inProcess(['convert', '-', '--to', 'html'], { cwd, input: document })
  expect(piped.stdout.replaceAll('Conversation', 'a')).toBe(one.stdout)
  const all = await inProcess(['convert', cwd, '--to', 'html', '--output', join(cwd, 'out')], { cwd })
  expect(all.status).toBe(0)
  expect(await readdir(join(cwd, 'out'))).toEqual(['a.html', 'b.html'])
  expect(await readFile(join(cwd, 'out/a.html'), 'utf8')).toBe(one.stdout)
  const again = await inProcess(['convert', cwd, '--to', 'html', '--output', join(cwd, 'out')], { cwd })
  expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('already exists')])
})

test('convert writes Markdown with what the sidecar knows, as the page does', async () => {
  const cwd = await folderWith({ 'a.chatmd': '<config model="demo"/>\n\n<user>\nHi\n</user>\n' })
  await inProcess(['run', join(cwd, 'a.chatmd')], { cwd })
  const { stdout, status } = await inProcess(['convert', join(cwd, 'a.chatmd'), '--to', 'markdown'], { cwd })
  expect(status).toBe(0)
  expect(stdout).toContain('"model":"demo"')
  const json = await inProcess(['convert', join(cwd, 'a.chatmd'), '--to', 'markdown', '--json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({ to: 'markdown', text: stdout, losses: [] })
})
