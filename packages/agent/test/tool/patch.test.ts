import { chmod, mkdir, rename, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createApplyPatchTool } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { createWorkspace } from '../../src/files/workspace.ts'
import { type Files, readFolder, writeFolder } from './files.ts'
import { callTool } from './tool-context.ts'

/** A patch around these lines. */
function patch(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
}

const update = (...lines: string[]): string => patch('*** Update File: a', ...lines)

async function apply(folder: string, text: unknown): Promise<{ output: unknown; details?: unknown }> {
  return callTool(createApplyPatchTool(createWorkspace({ roots: [folder] })), { patch: text })
}

/** A name, the files before, the patch, the files after. */
type Good = [name: string, before: Files, text: string, after: Record<string, string>]

const cart = [
  'class A {',
  '  total() {',
  '    return 0',
  '  }',
  '}',
  'class B {',
  '  total() {',
  '    return 0',
  '  }',
  '}',
  '',
].join('\n')

const good: Good[] = [
  ['an added file', {}, patch('*** Add File: a', '+one', '+', '+two'), { a: 'one\n\ntwo\n' }],
  ['an added file without lines', {}, patch('*** Add File: a'), { a: '' }],
  ['an added file in new folders', {}, patch('*** Add File: x/y/a', '+one'), { 'x/y/a': 'one\n' }],
  ['a blank line without + in an added file', {}, patch('*** Add File: a', '+1', '', '+2', '', ''), { a: '1\n\n2\n' }],
  ['an added line that looks like a marker', {}, patch('*** Add File: a', '+*** End Patch'), { a: '*** End Patch\n' }],
  ['a deleted file', { a: '1\n', b: '2\n' }, patch('*** Delete File: a'), { b: '2\n' }],
  ['a deleted binary file', { a: Uint8Array.of(0, 255) }, patch('*** Delete File: a'), {}],
  ['a changed line', { a: '1\n2\n3\n' }, update('@@', ' 1', '-2', '+two', ' 3'), { a: '1\ntwo\n3\n' }],
  ['no first @@', { a: '1\n2\n3\n' }, update(' 1', '-2', '+two', ' 3'), { a: '1\ntwo\n3\n' }],
  ['two hunks', { a: '1\n2\n3\n4\n' }, update('@@', '-1', '+one', '@@', '-4', '+four'), { a: 'one\n2\n3\nfour\n' }],
  ['hunks out of order', { a: '1\n2\n3\n4\n' }, update('@@', '-4', '+4!', '@@', '-1', '+1!'), { a: '1!\n2\n3\n4!\n' }],
  [
    'hunks that share context',
    { a: '1\n2\n3\n' },
    update('@@', '-1', '+one', ' 2', '@@', ' 2', '-3', '+three'),
    { a: 'one\n2\nthree\n' },
  ],
  [
    'a hunk that builds on the one before it',
    { a: '1\n2\n' },
    update('@@', '-1', '+one', '@@', '-one', '+uno', ' 2'),
    { a: 'uno\n2\n' },
  ],
  [
    'the same lines twice, by order',
    { a: 'x\nx\nx\n' },
    update('@@', '-x', '+1', '@@', '-x', '+2'),
    { a: '1\n2\nx\n' },
  ],
  [
    'an anchor',
    { a: cart },
    update('@@ class B {', '-    return 0', '+    return 1'),
    { a: cart.replace(/0([^0]*)$/, '1$1') },
  ],
  [
    'anchors in a row',
    { a: cart },
    update('@@ class B {', '@@   total() {', '-    return 0', '+    return 1'),
    { a: cart.replace(/0([^0]*)$/, '1$1') },
  ],
  [
    'a part of a line as an anchor',
    { a: cart },
    update('@@ class B', '-    return 0'),
    { a: cart.replace(/ {4}return 0\n([^0]*)$/, '$1') },
  ],
  ['an anchor that is the first context too', { a: 'f\n1\n' }, update('@@ f', ' f', '-1', '+2'), { a: 'f\n2\n' }],
  ['lines added after an anchor', { a: 'f\ng\n' }, update('@@ f', '+x'), { a: 'f\nx\ng\n' }],
  [
    'the same anchor for two hunks',
    { a: 'f\n1\n2\nf\n3\n' },
    update('@@ f', '-1', '+one', '@@ f', '-2', '+two'),
    { a: 'f\none\ntwo\nf\n3\n' },
  ],
  ['the numbers of a unified diff', { a: '1\n2\n' }, update('@@ -9,2 +9,2 @@ f()', ' 1', '-2', '+3'), { a: '1\n3\n' }],
  ['the header of a unified diff', { a: '1\n' }, update('--- a/a', '+++ b/a', '@@', '-1', '+2'), { a: '2\n' }],
  ['an anchor between two @@', { a: 'f\n1\n' }, update('@@ f @@', '-1', '+2'), { a: 'f\n2\n' }],
  ['lines for the end', { a: '1\n' }, update('@@', '+2'), { a: '1\n2\n' }],
  ['lines for an empty file', { a: '' }, update('@@', '+1'), { a: '1\n' }],
  ['the end of the file first', { a: 'x\ny\nx\n' }, update('@@', '-x', '+z', '*** End of File'), { a: 'x\ny\nz\n' }],
  [
    'a hunk after the end of the file',
    { a: 'x\ny\n' },
    update('-y', '+z', '*** End of File', '@@', '-x', '+w'),
    { a: 'w\nz\n' },
  ],
  ['a file that becomes empty', { a: '1\n2\n' }, update('-1', '-2'), { a: '' }],
  ['a file without a final newline', { a: '1\n2' }, update(' 1', '-2', '+two', '+3'), { a: '1\ntwo\n3' }],
  ['lines after a last line without newline', { a: '1' }, update(' 1', '+2'), { a: '1\n2' }],
  ['CRLF in the file', { a: '1\r\n2\r\n3\r\n' }, update(' 1', '-2', '+two', ' 3'), { a: '1\r\ntwo\r\n3\r\n' }],
  ['CRLF without a final newline', { a: '1\r\n2' }, update(' 2', '+3'), { a: '1\r\n2\r\n3' }],
  ['mixed line endings', { a: '1\r\n2\n3\r\n4\r\n' }, update(' 2', '+x', ' 3'), { a: '1\r\n2\nx\r\n3\r\n4\r\n' }],
  ['a byte order mark', { a: '\uFEFF1\n2\n' }, update('-1', '+one', ' 2'), { a: '\uFEFFone\n2\n' }],
  ['CRLF in the patch', { a: '1\n2\n' }, update('@@', ' 1', '-2', '+two').replaceAll('\n', '\r\n'), { a: '1\ntwo\n' }],
  ['a code fence around the patch', { a: '1\n' }, `\n\`\`\`diff\n${update('-1', '+2')}\n\`\`\`\n`, { a: '2\n' }],
  ['a heredoc around the patch', { a: '1\n' }, `apply_patch <<'EOF'\n${update('-1', '+2')}\nEOF\n`, { a: '2\n' }],
  ['a missing first line', { a: '1\n' }, '*** Update File: a\n-1\n+2\n*** End Patch', { a: '2\n' }],
  ['blank context without its space', { a: '1\n\n2\n' }, update('@@', ' 1', '', '-2', '+3'), { a: '1\n\n3\n' }],
  [
    'blank lines between sections',
    { a: '1\n' },
    patch('', '*** Update File: a', '', '@@', '-1', '+2', '', '*** Add File: b', '+b', ''),
    { a: '2\n', b: 'b\n' },
  ],
  [
    'blank context that the file does not have',
    { a: '1\n2\n' },
    update('@@', '', ' 1', '-2', '+3', ' '),
    { a: '1\n3\n' },
  ],
  ['context without its space', { a: 'foo\nbar\n' }, update('@@', 'foo', '-bar', '+baz'), { a: 'foo\nbaz\n' }],
  [
    'the remark of a diff on the last newline',
    { a: '1' },
    update('-1', '+2', '\\ No newline at end of file'),
    { a: '2' },
  ],
  ['other blanks at the end of lines', { a: 'a  \nb\n' }, update(' a', '-b\t', '+c'), { a: 'a  \nc\n' }],
  ['other indentation', { a: '\tif x:\n\t\ty\n' }, update(' if x:', '-  y', '+\t\tz'), { a: '\tif x:\n\t\tz\n' }],
  [
    'typographic signs',
    { a: 'say “hi” – it’s\u00A0me\nx\n' },
    update(' say "hi" - it\'s me', '-x', '+y'),
    { a: 'say “hi” – it’s\u00A0me\ny\n' },
  ],
  ['an exact place before a loose one', { a: ' x\nx\n' }, update('-x', '+y'), { a: ' x\ny\n' }],
  [
    'a moved file',
    { a: '1\n2\n' },
    patch('*** Update File: a', '*** Move to: x/b', '@@', '-1', '+one'),
    { 'x/b': 'one\n2\n' },
  ],
  ['a moved file without changes', { a: '1\r\n' }, patch('*** Update File: a', '*** Move to: b'), { b: '1\r\n' }],
  ['a move to the same place', { a: '1\n' }, patch('*** Update File: a', '*** Move to: ./a', '-1', '+2'), { a: '2\n' }],
  [
    'two updates of one file',
    { a: '1\n2\n' },
    patch('*** Update File: a', '-2', '+two', '*** Update File: ./a', '-1', '+one'),
    { a: 'one\ntwo\n' },
  ],
  [
    'an update, then a move',
    { a: '1\n' },
    patch('*** Update File: a', '-1', '+2', '*** Update File: a', '*** Move to: b', '-2', '+3'),
    { b: '3\n' },
  ],
  [
    'a file deleted and added again',
    { a: '1\r\n2\r\n' },
    patch('*** Delete File: a', '*** Add File: a', '+new'),
    { a: 'new\r\n' },
  ],
  [
    'names that objects have',
    { a: '1\n' },
    patch('*** Add File: __proto__', '+p', '*** Add File: constructor', '+c'),
    JSON.parse('{"a":"1\\n","__proto__":"p\\n","constructor":"c\\n"}'),
  ],
  [
    'lines that look like marks',
    { a: '-- a\n++ b\n@@\n' },
    update('--- a', '+-- c', ' ++ b', '+++ d', ' @@'),
    { a: '-- c\n++ b\n++ d\n@@\n' },
  ],
]

test.each(good)('apply_patch applies %s', async (_, before, text, after) => {
  const folder = await writeFolder(before)
  await apply(folder, text)
  expect(await readFolder(folder)).toEqual(after)
})

/** A name, the files, the patch, the code, and words of the message. */
type Bad = [name: string, before: Files, text: string, code: RegExp, words: string]

const bad: Bad[] = [
  [
    'no patch at all',
    {},
    'hello',
    /^TOOL_BAD_PATCH$/,
    'begins with the line `*** Begin Patch`. Line 1 of the patch is `hello`',
  ],
  ['an empty text', {}, '', /^TOOL_BAD_PATCH$/, 'begins with the line'],
  ['an empty patch', {}, patch(), /^TOOL_BAD_PATCH$/, 'has no `*** Add File:`'],
  [
    'a patch that is cut off',
    { a: '1\n' },
    '*** Begin Patch\n*** Update File: a\n-1\n+2',
    /^TOOL_BAD_PATCH$/,
    'without `*** End Patch`',
  ],
  ['text after the end', {}, `${patch('*** Add File: a', '+1')}\nand so on`, /^TOOL_BAD_PATCH$/, 'Nothing may follow'],
  [
    'text between sections',
    { a: '1\n' },
    patch('*** Delete File: a', 'and'),
    /^TOOL_BAD_PATCH$/,
    'Line 3 of the patch is `and`',
  ],
  ['an unknown marker', { a: '1\n' }, patch('*** Rename File: a'), /^TOOL_BAD_PATCH$/, 'Line 2'],
  ['a missing path', {}, patch('*** Add File: ', '+1'), /^TOOL_BAD_PATCH$/, 'path is missing'],
  ['the path of a folder', {}, patch('*** Add File: x/', '+1'), /^TOOL_BAD_PATCH$/, 'folder'],
  ['an added line without +', {}, patch('*** Add File: a', '+1', 'two'), /^TOOL_BAD_PATCH$/, 'begins with +. Line 4'],
  ['an update without hunks', { a: '1\n' }, update(), /^TOOL_BAD_PATCH$/, 'has no hunk'],
  ['a hunk without changes', { a: '1\n' }, update('@@', ' 1'), /^TOOL_BAD_PATCH$/, 'changes nothing'],
  ['an anchor without lines', { a: '1\n' }, update('@@ 1'), /^TOOL_BAD_PATCH$/, 'changes nothing'],
  ['a second beginning', { a: '1\n' }, update('-1', '+2', '*** Begin Patch'), /^TOOL_BAD_PATCH$/, 'Line 5'],
  [
    'an added file that exists',
    { a: '1\n' },
    patch('*** Add File: a', '+2'),
    /^TOOL_PATCH_CONFLICT$/,
    'a already exists',
  ],
  [
    'an added file that is a folder',
    { 'a/b': '' },
    patch('*** Add File: a', '+2'),
    /^TOOL_(PATCH_CONFLICT|FILE_UNWRITABLE)$/,
    '',
  ],
  ['an update of nothing', {}, update('-1', '+2'), /FILE_NOT_FOUND$/, 'does not exist'],
  ['a deletion of nothing', {}, patch('*** Delete File: a'), /FILE_NOT_FOUND$/, 'does not exist'],
  ['a deletion of a folder', { 'a/b': '' }, patch('*** Delete File: a'), /^TOOL_PATCH_CONFLICT$/, 'is a folder'],
  ['an update of a folder', { 'a/b': '' }, update('-1'), /^TOOL_PATCH_CONFLICT$/, 'is a folder'],
  ['an update of a binary file', { a: 'a\0b' }, update('-1'), /^TOOL_PATCH_CONFLICT$/, 'is binary'],
  [
    'an update of a file in another encoding',
    { a: Uint8Array.of(0x61, 0xe9) },
    update('-1'),
    /^TOOL_PATCH_CONFLICT$/,
    'UTF-8',
  ],
  [
    'a move onto a file',
    { a: '1\n', b: '2\n' },
    patch('*** Update File: a', '*** Move to: b'),
    /^TOOL_PATCH_CONFLICT$/,
    'b already exists',
  ],
  [
    'two moves onto one file',
    { a: '1\n', b: '2\n' },
    patch('*** Update File: a', '*** Move to: c', '*** Update File: b', '*** Move to: c'),
    /^TOOL_PATCH_CONFLICT$/,
    'two conflicting sections',
  ],
  [
    'an update of a moved file',
    { a: '1\n' },
    patch('*** Update File: a', '*** Move to: c', '*** Update File: a', '-1'),
    /^TOOL_PATCH_CONFLICT$/,
    'two conflicting sections',
  ],
  [
    'an update of a deleted file',
    { a: '1\n' },
    patch('*** Delete File: a', '*** Update File: a', '-1'),
    /^TOOL_PATCH_CONFLICT$/,
    'two conflicting sections',
  ],
  [
    'an update of an added file',
    {},
    patch('*** Add File: b', '+1', '*** Update File: b', '-1', '+2'),
    /^TOOL_PATCH_CONFLICT$/,
    'two conflicting sections',
  ],
  [
    'a file that is added twice',
    {},
    patch('*** Add File: b', '+1', '*** Add File: ./b', '+2'),
    /^TOOL_PATCH_CONFLICT$/,
    'two conflicting sections',
  ],
  [
    'a file that is deleted twice',
    { a: '1\n' },
    patch('*** Delete File: a', '*** Delete File: a'),
    /^TOOL_PATCH_CONFLICT$/,
    'two conflicting sections',
  ],
  ['a path outside', {}, patch('*** Add File: ../x', '+1'), /PATH_OUTSIDE$/, 'outside'],
  ['an absolute path outside', {}, patch('*** Update File: /etc/hosts', '+1'), /PATH_OUTSIDE$/, 'outside'],
  ['a deletion outside', {}, patch('*** Delete File: ../../etc/hosts'), /PATH_OUTSIDE$/, 'outside'],
  ['a move outside', { a: '1\n' }, patch('*** Update File: a', '*** Move to: ../b'), /PATH_OUTSIDE$/, 'outside'],
  [
    'lines that are not there',
    { a: 'const x = 1\n' },
    update('-const y = 2', '+z'),
    /^TOOL_PATCH_NO_MATCH$/,
    'a, hunk 1 (line 3 of the patch): these lines are not in the file:\n    const y = 2\nThe nearest similar line is line 1: `const x = 1`.',
  ],
  [
    'lines of which one is another',
    { a: '0\n1\n2\n3\n' },
    update('@@', ' 1', '-two', '+zwei', ' 3'),
    /^TOOL_PATCH_NO_MATCH$/,
    'nearest similar place is at line 2, but line 3 is `2`, not `two`',
  ],
  [
    'the second hunk that is not there',
    { a: '1\n2\n' },
    update('-1', '+one', '@@', '-three', '+3'),
    /^TOOL_PATCH_NO_MATCH$/,
    'a, hunk 2 (line 5 of the patch)',
  ],
  ['lines that go twice', { a: '1\n2\n' }, update('-1', '@@', '-1'), /^TOOL_PATCH_NO_MATCH$/, 'hunk 2'],
  [
    'more lines than the file has',
    { a: '1\n' },
    update(' 1', '-2'),
    /^TOOL_PATCH_NO_MATCH$/,
    'but line 2 is not there',
  ],
  ['lines of an empty file', { a: '' }, update('-1'), /^TOOL_PATCH_NO_MATCH$/, 'The file is empty'],
  ['lines unlike any', { a: 'abc\n' }, update('-xyz'), /^TOOL_PATCH_NO_MATCH$/, 'Nothing in the file is similar'],
  [
    'an anchor that is not there',
    { a: '1\n' },
    update('@@ class X', '-1'),
    /^TOOL_PATCH_NO_MATCH$/,
    'the anchor is not in the file:\n    class X',
  ],
  [
    'anchors in the wrong order',
    { a: 'f\ng\n1\n' },
    update('@@ g', '@@ f', '-1'),
    /^TOOL_PATCH_NO_MATCH$/,
    'in this order',
  ],
  [
    'lines before the anchor',
    { a: '1\nf\n' },
    update('@@ f', '-1'),
    /^TOOL_PATCH_NO_MATCH$/,
    'They are at line 1, but before the anchor',
  ],
]

test.each(bad)('apply_patch refuses %s, and changes nothing', async (_, before, text, code, words) => {
  const files = { ...before, first: '1\n', gone: '2\n' }
  const folder = await writeFolder(files)
  const untouched = await readFolder(folder)
  const error = await apply(folder, text).catch(error => error)
  expect(error).toMatchObject({ name: 'ToolFailure', code: expect.stringMatching(code) })
  expect(error.message).toContain(words)
  expect(await readFolder(folder)).toEqual(untouched)
})

test('nothing is written when a later section cannot be applied', async () => {
  const files = { a: '1\n', b: '2\n', c: '3\n' }
  const folder = await writeFolder(files)
  const text = patch(
    '*** Update File: a',
    '-1',
    '+one',
    '*** Delete File: b',
    '*** Add File: d',
    '+4',
    '*** Update File: c',
    '-x',
  )
  await expect(apply(folder, text)).rejects.toMatchObject({ code: 'TOOL_PATCH_NO_MATCH' })
  expect(await readFolder(folder)).toEqual(files)
})

test('tells of each file what became of it, to the model and to the user interface', async () => {
  const folder = await writeFolder({ a: '1\n2\n3\n4\n5\n', b: 'x\n', c: 'y\nz\n' })
  const text = patch(
    ...['*** Update File: a', '-1', '+one', '+und'],
    ...['*** Add File: d/e', '+new'],
    ...['*** Delete File: c'],
    ...['*** Update File: b', '*** Move to: f', '-x', '+y'],
  )
  const { output, details } = await apply(folder, text)
  expect(output).toBe('M a (+2 −1)\nA d/e (+1)\nD c (−2)\nR b → f (+1 −1)')
  expect(details).toEqual([
    { path: 'a', operation: 'update', added: 2, removed: 1, diff: '@@ -1,4 +1,5 @@\n-1\n+one\n+und\n 2\n 3\n 4' },
    { path: 'd/e', operation: 'add', added: 1, removed: 0, diff: '@@ -0,0 +1,1 @@\n+new' },
    { path: 'c', operation: 'delete', added: 0, removed: 2, diff: '@@ -1,2 +0,0 @@\n-y\n-z' },
    { path: 'f', from: 'b', operation: 'move', added: 1, removed: 1, diff: '@@ -1,1 +1,1 @@\n-x\n+y' },
  ])
})

test('changes that are far from each other are parts of their own in the diff', async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `${i + 1}`)
  const folder = await writeFolder({ a: `${lines.join('\n')}\n` })
  const { details } = await apply(folder, update('@@', '-2', '@@', ' 8', '+8a', '@@', '-30', '+end'))
  expect((details as { diff: string }[])[0]?.diff).toBe(
    '@@ -1,11 +1,11 @@\n 1\n-2\n 3\n 4\n 5\n 6\n 7\n 8\n+8a\n 9\n 10\n 11\n@@ -27,4 +27,4 @@\n 27\n 28\n 29\n-30\n+end',
  )
})

test('takes the patch as `input` and as text alone too, and nothing else', async () => {
  const folder = await writeFolder()
  const tool = createApplyPatchTool(createWorkspace({ roots: [folder] }))
  await callTool(tool, { input: patch('*** Add File: a', '+1') })
  await callTool(tool, patch('*** Add File: b', '+2'))
  expect(await readFolder(folder)).toEqual({ a: '1\n', b: '2\n' })
  for (const input of [{}, null, 7, { patch: 7 }, { input: ['a'] }]) {
    expect(await tool.validate(input)).toMatchObject({ ok: false })
  }
})

test('keeps the permissions of a file that it changes or moves', async () => {
  const folder = await writeFolder({ a: '1\n', b: '1\n' })
  await chmod(join(folder, 'a'), 0o755)
  await chmod(join(folder, 'b'), 0o750)
  await apply(folder, patch('*** Update File: a', '-1', '+2', '*** Update File: b', '*** Move to: c', '-1', '+2'))
  expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o755)
  expect((await stat(join(folder, 'c'))).mode & 0o777).toBe(0o750)
})

test('a symbolic link is followed by an update, and neither deleted nor moved', async () => {
  const folder = await writeFolder({ 'x/a': '1\n' })
  await symlink('x/a', join(folder, 'link'))
  await apply(folder, patch('*** Update File: link', '-1', '+2'))
  expect(await readFolder(folder)).toEqual({ 'x/a': '2\n' })
  for (const lines of [['*** Delete File: link'], ['*** Update File: link', '*** Move to: b']]) {
    await expect(apply(folder, patch(...lines))).rejects.toMatchObject({ code: 'TOOL_PATCH_CONFLICT' })
  }
  await expect(apply(folder, patch('*** Update File: link', '-2', '+3', '*** Delete File: x/a'))).rejects.toMatchObject(
    { code: 'TOOL_PATCH_CONFLICT' },
  )
})

test('a link that leads outside is not followed', async () => {
  const outside = await writeFolder({ secret: '1\n' })
  const folder = await writeFolder()
  await symlink(outside, join(folder, 'out'))
  await symlink(join(outside, 'secret'), join(folder, 'link'))
  for (const lines of [
    ['*** Update File: link', '-1', '+2'],
    ['*** Delete File: out/secret'],
    ['*** Add File: out/new', '+1'],
  ]) {
    await expect(apply(folder, patch(...lines))).rejects.toMatchObject({ code: expect.stringMatching(/OUTSIDE$/) })
  }
  expect(await readFolder(outside)).toEqual({ secret: '1\n' })
})

test('when a write fails, what was written before is put back', async () => {
  const files = { a: '1\n', b: '2\n', c: '3\n' }
  const folder = await writeFolder(files)
  const workspace = createWorkspace({ roots: [folder] })
  const write = workspace.write.bind(workspace)
  workspace.write = async (real, text) => {
    if (text === 'three\n') throw new Error('the disk is full')
    return write(real, text)
  }
  const text = patch(
    ...['*** Update File: a', '-1', '+one', '*** Add File: x/y/z', '+new'],
    ...['*** Delete File: b', '*** Update File: c', '-3', '+three'],
  )
  const error = await callTool(createApplyPatchTool(workspace), { patch: text }).catch(error => error)
  expect(error).toMatchObject({ name: 'ToolFailure', code: 'TOOL_PATCH_NOT_WRITTEN' })
  expect(error.message).toBe(
    "c couldn't be written: the disk is full. Earlier writes were rolled back: no file has changed.",
  )
  expect(await readFolder(folder)).toEqual(files)
})

test('when a file cannot be put back, the message names it', async () => {
  const folder = await writeFolder({ a: '1\n', c: '3\n' })
  const workspace = createWorkspace({ roots: [folder] })
  const write = workspace.write.bind(workspace)
  workspace.write = async (real, text) => {
    if (text !== 'one\n') throw new Error('the disk is full')
    return write(real, text)
  }
  const text = patch('*** Update File: a', '-1', '+one', '*** Update File: c', '-3', '+three')
  const error = await callTool(createApplyPatchTool(workspace), { patch: text }).catch(error => error)
  expect(error.message).toContain('except a.')
})

test('when a file cannot be removed, those that were removed come back', async () => {
  const files = { a: '1\n', 'x/b': '2\n', c: '3\n' }
  const folder = await writeFolder(files)
  const workspace = createWorkspace({ roots: [folder] })
  // The folder of the second file is gone by the time that it should be deleted.
  const write = workspace.write.bind(workspace)
  workspace.write = async (real, text) => {
    await write(real, text)
    if (text === 'three\n') await rename(join(folder, 'x'), join(folder, 'y'))
  }
  const text = patch('*** Delete File: a', '*** Delete File: x/b', '*** Update File: c', '-3', '+three')
  const error = await callTool(createApplyPatchTool(workspace), { patch: text }).catch(error => error)
  expect(error).toMatchObject({ code: 'TOOL_PATCH_NOT_WRITTEN' })
  expect(await readFolder(folder)).toEqual({ a: '1\n', 'y/b': '2\n', c: '3\n' })
})

test('a run that was stopped writes nothing', async () => {
  const folder = await writeFolder({ a: '1\n' })
  await mkdir(join(folder, 'x'))
  const tool = createApplyPatchTool(createWorkspace({ roots: [folder] }))
  const context = { toolCallId: 'c', idempotencyKey: 'k', signal: AbortSignal.abort(), preview: () => {} }
  await expect(tool.execute({ patch: update('-1', '+2') }, context)).rejects.toThrow()
  expect(await readFolder(folder)).toEqual({ a: '1\n', 'x/': '' })
})
