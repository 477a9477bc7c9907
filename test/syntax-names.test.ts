import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { findSyntaxNames } from './guards/find-syntax-names.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

/** The names, apart from two that are also words of other settings. */
const names: ReadonlySet<string> = new Set(syntaxes.names().filter(name => name !== 'auto' && name !== 'dots'))

/** Who names a syntax outside of the syntaxes, and why that is not a fact that the syntax should carry. */
const naming: Readonly<Record<string, string>> = {
  'apps/playground/src/app.tsx': 'the syntax that a reply is converted to at first',
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

test('only the syntaxes know their names: any difference is a property of the syntax', () => {
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
