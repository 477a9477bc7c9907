import { existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importGraph, targetFile } from './guards/import-graph.ts'
import { readWorkspace, root } from './guards/workspace.ts'

const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const edges = importGraph(readWorkspace(), builtinModules)

/** A newer one of each kind: what was touched for it is the file, and the files that import it. */
test.each([
  ['a dialect', 'packages/core/src/syntax/dialects/cohere.ts'],
  ['a built-in tool', 'packages/agent/src/tool/builtin/grep.ts'],
  ['a model provider', 'packages/agent/src/model/providers/google.ts'],
  ['a command', 'packages/cli/src/commands/replay.ts'],
])('to add %s takes as many source files as CONTRIBUTING.md says', (kind, file) => {
  expect(existsSync(join(root, file)), file).toBe(true)
  const importers = new Set(edges.filter(edge => targetFile(edge) === file).map(edge => edge.file))
  const said = new RegExp(`\\*\\*${kind}\\*\\* \\((\\d+) files\\)`).exec(text)?.[1]
  expect(said, [...importers].join(', ')).toBe(String(1 + importers.size))
})

test('what is to be done to add something is said in one place', () => {
  const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  expect(architecture.split('## To add …')[1]!.trim().split('\n')).toHaveLength(1)
})
