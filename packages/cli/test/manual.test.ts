import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { drawPage, fitTables, joinLines } from '../src/commands/manual/draw-page.ts'
import { readPages } from '../src/commands/manual/read-pages.ts'
import { searchPages } from '../src/commands/manual/search-pages.ts'
import { createPaint } from '../src/io/paint.ts'
import { measureWidth } from '../src/io/width.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const docs = join(dirname(fileURLToPath(import.meta.url)), '../../../docs')
const pages = readPages(docs)
/** From source: a bundle of the tests has no documentation beside it. */
const source = [
  process.execPath,
  '--import',
  import.meta.resolve('tsx'),
  '--conditions=@argot/source',
  join(docs, '../packages/cli/src/bin.ts'),
]

test('every page of docs is in the manual, apart from decisions', () => {
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md') && !path.startsWith('decisions'))
    .map(path => path.slice(0, -3))
  expect(pages.map(({ topic }) => topic).sort()).toEqual(files.sort())
  expect(pages.filter(({ text }) => /^<!--/m.test(text.replaceAll(/^```[\s\S]*?^```/gm, '')))).toEqual([])
})

test('a page is printed as Markdown in a pipe; a name may be short, a command, or nearly right', async () => {
  const cwd = await folderWith({})
  const { stdout, status } = await inProcess(['manual', 'xml'], { cwd })
  expect([status, stdout.split('\n', 1)[0]]).toEqual([0, '# xml'])
  expect((await inProcess(['manual', 'fmt'], { cwd })).stdout).toMatch(/^# The command/)
  expect((await inProcess(['manual'], { cwd })).stdout).toMatch(/^# The documentation/)
  const list = JSON.parse((await inProcess(['manual', '--list', '--json'], { cwd })).stdout)
  expect(list.topics).toContainEqual({ topic: 'models', title: 'Models' })
  const wrong = await inProcess(['manual', 'modles'], { cwd })
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean "models"?')])
  const other = await inProcess(['manual', '../../etc/passwd'], { cwd })
  expect([other.status, other.stdout]).toEqual([2, ''])
})

test('a search finds sections with all of the words, headings first', async () => {
  expect(searchPages(pages, ['keys', 'list'])[0]).toMatchObject({ topic: 'models', heading: 'Keys' })
  const cwd = await folderWith({})
  const { stdout, status } = await inProcess(['manual', '--search', 'exit status'], { cwd })
  expect([status, stdout]).toEqual([0, expect.stringContaining('command › Exit status')])
  expect((await inProcess(['manual', '--search', 'zzzz'], { cwd })).status).toBe(1)
})

test.each([40, 80, 120])('every page fits into %d columns, apart from code and what has no blanks', columns => {
  for (const { topic, text } of pages) {
    const rows = drawPage(text, columns, createPaint(true))
    const wide = rows.filter(
      row => measureWidth(row) > columns && row.trim().includes(' ') && !row.startsWith('\x1b[36m  '),
    )
    expect([topic, wide.filter(row => !/^\s*\x1b\[36m/.test(row))]).toEqual([topic, []])
  }
})

test('paragraphs are joined, code is not, and wide tables become lists', () => {
  expect(joinLines('a\nb\n\n- c\n  d\n- e\n```\nf\ng\n```\nh')).toBe('a b\n\n- c d\n- e\n```\nf\ng\n```\nh')
  expect(fitTables('| A | B |\n| --- | --- |\n| one | two \\| three |\n', 80)).toContain('| one | two | three |')
  expect(fitTables('| A | B | C |\n| --- | --- | --- |\n| one | two | three |\n', 12)).toBe('- one: b: two; c: three\n')
})

test.runIf(hasScript)('a long page is shown in the pager', async () => {
  const cwd = await folderWith({ 'pager.sh': '#!/bin/sh\necho PAGED\nhead -3\n' })
  const env = { HOME: cwd, PAGER: `sh ${join(cwd, 'pager.sh')}` }
  const shown = await onTerminal([...source, 'manual', 'models'], [], { cwd, env })
  expect(words(shown)).toMatch(/PAGED\nModels\n/)
  const plain = await onTerminal([...source, 'manual', 'models', '--no-pager'], [], {
    cwd,
    env: { ...env, NO_COLOR: '1' },
  })
  expect(words(plain)).toMatch(/^# Models\n/)
  expect(plain).not.toContain('\x1b[1m')
})
