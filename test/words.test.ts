// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are part of the source text under test
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { syntaxes } from 'argot/syntax'
import { expect, test } from 'vitest'
import { findProse, proseOfPage } from './guards/find-prose.ts'
import { findSyntaxNames } from './guards/find-syntax-names.ts'
import { lineOf } from './guards/parse-source.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

interface Word {
  pattern: RegExp
  /** The word to use. */
  use: string
}

/** Words that sound translated, each only where there is nothing to argue about. CONTRIBUTING.md has the whole list. */
const words: readonly Word[] = [
  // "stands for", "stands in for" and a stand-in are English.
  { pattern: /\b(?:stands?|stood)\b(?!\s+(?:\*\s+|\/\/\s+)?(?:for|in for|out|up)\b|-)/i, use: 'is' },
  { pattern: /\b(?:go(?:es|ing)?|went|gone) on (?:with|from there)\b/i, use: 'continue' },
  { pattern: /\b(?:once more|anew)\b/i, use: 'again' },
  {
    // Order only: something may be left behind, fall behind, and be behind a proxy.
    pattern:
      /\bbehind (?:the|its|each|every|another|an?) (?:\w+ing |last |first |next )?(?:name|tag|mark|marker|header|call|block|value|key|member|response|input|output|comma|line|quote|bracket|step|message|text)\b/i,
    use: 'after',
  },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, use: 'repair (a program does it) or fix (a person does)' },
]

/** Where a page may name them. */
const sectionOfWords = /\n## Words\n[\s\S]*?(?=\n## )/

function badWords(path: string, text: string): string[] {
  if (!words.some(({ pattern }) => pattern.test(text))) return []
  const pieces = path.endsWith('.md')
    ? [{ start: 0, text: proseOfPage(path === 'CONTRIBUTING.md' ? withoutSection(text) : text) }]
    : findProse(path, text)
  return pieces.flatMap(piece =>
    words.flatMap(({ pattern, use }) =>
      Array.from(piece.text.matchAll(new RegExp(pattern, 'gi')), match => {
        const line = lineOf(path.endsWith('.md') ? piece.text : text, piece.start + match.index)
        return `${path}:${line} says "${match[0]}"; use ${use}`
      }),
    ),
  )
}

function withoutSection(text: string): string {
  return text.replace(sectionOfWords, section => section.replace(/[^\n]/g, ''))
}

test('comments, messages and pages are in plain English', () => {
  const read =
    /^(?:packages|apps)\/[^/]+\/src\/.*\.tsx?$|^(?:docs|packages|apps|examples|editors)\/.*\.md$|^[A-Z]+\.md$/
  const found = trackedFiles()
    .filter(path => read.test(path))
    .flatMap(path => badWords(path, readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual([])
})

test.each([
  ['a.ts', "fail('The key stands here twice.')", 'a.ts:1 says "stands"; use is'],
  ['a.ts', '\n/** Goes on with the next. */', 'a.ts:2 says "Goes on with"; use continue'],
  ['a.ts', 'const a = `no comma behind the last member ${b}`', 'behind the last member'],
  ['a.ts', 'const a = `${b} is read anew`', 'use again'],
  ['a.tsx', 'const a = <p>Mend it.</p>', 'use repair'],
  ['docs/a.md', '# A\n\nThe result stands in a fence.', 'docs/a.md:3 says "stands"; use is'],
  ['CONTRIBUTING.md', '\n## Words\nstands\n\n## More\nIt stands here.', 'CONTRIBUTING.md:6 says "stands"'],
])('finds in %s: %s', (path, text, expected) => {
  expect(badWords(path, text)).toEqual([expect.stringContaining(expected)])
})

test.each([
  ['a.ts', "// A star stands for any text, and\n// a stub stands in for the program.\nconst stands = 'a stand-in'"],
  ['a.ts', "import { stands } from './once more.ts'\ntype A = 'anew'"],
  ['a.ts', '/* Behind a proxy nothing is left behind. The run goes on. */'],
  ['docs/a.md', '```\nIt stands here.\n```\nRecommend it.'],
])('lets pass in %s: %s', (path, text) => {
  expect(badWords(path, text)).toEqual([])
})

/** The names, apart from two that are also words of other settings. */
const names: ReadonlySet<string> = new Set(syntaxes.names().filter(name => name !== 'auto' && name !== 'dots'))

/** Who names a syntax outside of the syntaxes, and why that is not a fact that the syntax should carry. */
const naming: Readonly<Record<string, string>> = {
  'apps/web/src/export/export-file.ts': 'Markdown is exported with callouts, as the format is called',
  'apps/web/src/header/syntax-picker.tsx': 'words for people beside the names of the list',
  'packages/agent/src/model/choose-model.ts': 'the name of a model, in an example',
  'packages/agent/src/settings/default-syntax.ts': 'the default of a model with native calls, and of one without',
  'packages/cli/src/commands/convert.ts': 'the ending of a file, by the formats of transcripts',
  'packages/cli/src/commands/docs.ts': 'reads the tools of a document without the lesson of a syntax',
  'packages/core/src/convert/format.ts': 'a transcript with callouts is a format of its own',
  'packages/core/src/convert/read.ts': 'a transcript with callouts is a format of its own',
  'packages/core/src/convert/write.ts': 'a transcript with callouts is a format of its own',
}

test('nobody but the syntaxes decides by the name of one: what differs is a fact that a syntax carries', () => {
  const found = trackedFiles()
    .filter(
      path => /^(?:packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(path) && !/core\/src\/(?:syntax|testing)\//.test(path),
    )
    .flatMap(path =>
      findSyntaxNames(path, readFileSync(join(root, path), 'utf8'), names).map(({ line, name }) => ({
        path,
        line,
        name,
      })),
    )
  const unexpected = found.filter(({ path }) => naming[path] === undefined)
  expect(unexpected.map(({ path, line, name }) => `${path}:${line} names ${name}`)).toEqual([])
  const used = new Set(found.map(({ path }) => path))
  expect(Object.keys(naming).filter(path => !used.has(path))).toEqual([])
})

test.each([
  ["if (syntax.name === 'xml') write()", 1],
  ["const limits = { xml: 1, 'qwen3-coder': 2 }", 2],
  ["const limits = new Map([['caret', 1]])", 1],
  ["switch (name) { case 'native': break }", 1],
  ["const name = isSmall ? 'xml' : given", 1],
])('finds names of syntaxes in %s', (text, count) => {
  expect(findSyntaxNames('a.ts', text, names)).toHaveLength(count)
})

test.each([
  "if (syntax.kind === 'native') write()",
  "import { xml } from 'xml'\nconst a: 'xml' = xml",
  '// xml\nwrite(`xml`.length, fence.length, { text: "xml file" })',
])('lets pass %s', text => {
  expect(findSyntaxNames('a.ts', text, names)).toEqual([])
})
