import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, problemOf } from '../call.ts'

interface Change {
  search: string
  replace: string
  all?: boolean
}

/** The text of a file after a change. */
async function changed(text: string, change: Change): Promise<string> {
  const root = await folder({ a: text })
  await call(builtin('find_and_replace', root), { path: 'a', ...change })
  return readFile(join(root, 'a'), 'utf8')
}

test('replaces the only place and says where it was', async () => {
  const root = await folder({ 'a.md': 'one\ntwo\nthree\n' })
  const tool = builtin('find_and_replace', root)
  expect(await call(tool, { path: 'a.md', search: 'two', replace: '2' })).toEqual({
    output: 'Replaced the text in `a.md` at one place: line 2.',
    details: {
      path: 'a.md',
      created: false,
      before: { bytes: 14, lines: 3 },
      after: { bytes: 12, lines: 3 },
      diff: '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    },
  })
  expect(tool.effect).toBe('write')
})

test.each<[string, string, Change, string]>([
  ['signs that a regular expression would read', 'a.*b(', { search: '.*b(', replace: '[c]' }, 'a[c]'],
  ['dollars in the new text', 'a b', { search: 'b', replace: "$& $1 $$ $` $'" }, "a $& $1 $$ $` $'"],
  ['every place', 'a a a', { search: 'a', replace: 'aa', all: true }, 'aa aa aa'],
  ['places that overlap, one after the other', 'aaaa', { search: 'aa', replace: 'b', all: true }, 'bb'],
  ['nothing in its place', 'a\nb\nc', { search: 'b\n', replace: '' }, 'a\nc'],
  ['other characters', 'ä 😀 ö', { search: '😀', replace: '✓' }, 'ä ✓ ö'],
  ['lines of a CRLF file by LF', 'a\r\nb\r\nc\r\n', { search: 'a\nb\n', replace: 'x\ny\nz\n' }, 'x\r\ny\r\nz\r\nc\r\n'],
  ['a word of a CRLF file by lines', 'a\r\nb\r\n', { search: 'b', replace: 'x\ny' }, 'a\r\nx\r\ny\r\n'],
  ['lines of a CRLF file by CRLF', 'a\r\nb\r\n', { search: 'a\r\nb', replace: 'x\r\ny' }, 'x\r\ny\r\n'],
  ['lines of an LF file by CRLF', 'a\nb\n', { search: 'a\r\nb', replace: 'x\r\ny' }, 'x\ny\n'],
  ['LF in a file of both kinds', 'a\r\nb\nc\n', { search: 'b\nc', replace: 'x\ny' }, 'a\r\nx\ny\n'],
  ['CRLF by LF when that is what is asked for', 'a\r\nb\r\n', { search: '\r\n', replace: '\n', all: true }, 'a\nb\n'],
  ['LF by CRLF when that is what is asked for', 'a\nb\n', { search: '\n', replace: '\r\n', all: true }, 'a\r\nb\r\n'],
])('find_and_replace replaces %s', async (_, text, change, expected) => {
  expect(await changed(text, change)).toBe(expected)
})

test('names the lines if there are several places, and changes nothing', async () => {
  const root = await folder({ a: 'x\ny\nx x\n', b: 'x\n'.repeat(100) })
  const tool = builtin('find_and_replace', root)
  const { code, message } = await failureOf(call(tool, { path: 'a', search: 'x', replace: 'z' }))
  expect(code).toBe('TOOL_SEVERAL_MATCHES')
  expect(message).toContain('The text is in `a` 3 times: lines 1, 3.')
  const many = await failureOf(call(tool, { path: 'b', search: 'x', replace: 'z' }))
  expect(many.message).toContain('100 times: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 90 more.')
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('x\ny\nx x\n')
})

test.each([
  ['other blanks', 'if (a) {\n  b()\n}', 'Line 2 is the same except for blanks and line breaks'],
  ['another second line', '\tif (a) {\nc()', 'Its first line is in line 2, but what follows differs there'],
  ['nothing like it', 'while', 'Read the file again'],
  ['blanks only', '\t\t\t\t', 'Read the file again'],
])('gives a hint for %s', async (_, search, hint) => {
  const tool = builtin('find_and_replace', await folder({ a: '// ä\n\tif (a) {\n\t\tb()\n\t}\n' }))
  const { code, message } = await failureOf(call(tool, { path: 'a', search, replace: '' }))
  expect(code).toBe('TOOL_NO_MATCH')
  expect(message).toContain(hint)
})

test('changes at the same time do not undo each other', async () => {
  const root = await folder({ a: Array.from({ length: 20 }, (_, index) => `<${index}>`).join('\n') })
  const tool = builtin('find_and_replace', root)
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => call(tool, { path: 'a', search: `<${index}>`, replace: `[${index}]` })),
  )
  expect(await readFile(join(root, 'a'), 'utf8')).not.toContain('<')
})

test('says so when nothing would change', async () => {
  const tool = builtin('find_and_replace', await folder({ a: 'x' }))
  const outcome = await call(tool, { path: 'a', search: 'x', replace: 'x' })
  expect(outcome).toEqual({ output: 'Nothing changed in `a`: both texts are the same.' })
})

test('refuses missing files, binary files, large files and what lies outside', async () => {
  const root = await folder({
    'in/a.md': '',
    'in/b.bin': 'x\0',
    'in/large': 'x'.repeat(10 * 1024 * 1024 + 1),
    'out.md': 'out',
  })
  await symlink('../out.md', join(root, 'in/link.md'))
  const tool = builtin('find_and_replace', join(root, 'in'))
  for (const [path, code] of [
    ['none', 'TOOL_FILE_NOT_FOUND'],
    ['b.bin', 'TOOL_BINARY'],
    ['large', 'TOOL_FILE_TOO_LARGE'],
    ['link.md', 'TOOL_PATH_OUTSIDE'],
    ['../out.md', 'TOOL_PATH_OUTSIDE'],
  ]) {
    expect((await failureOf(call(tool, { path, search: 'out', replace: 'x' }))).code).toBe(code)
  }
  expect(await problemOf(tool, { path: 'a', search: '', replace: '' })).toContain('`search` must have at least')
})

test('takes `find` for `search`, and `file` for `path`', async () => {
  const place = await folder({ 'a.md': 'old text' })
  const tool = builtin('find_and_replace', place)
  await call(tool, { file: 'a.md', find: 'old', replace: 'new' })
  expect(await readFile(join(place, 'a.md'), 'utf8')).toBe('new text')
  expect(await problemOf(tool, { path: 'a.md', find: 'a', search: 'b', replace: 'c' })).toContain('find')
})
