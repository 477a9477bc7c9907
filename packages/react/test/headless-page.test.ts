import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseSource } from '../../../test/guards/parse-source.ts'
import { root } from '../../../test/guards/workspace.ts'

const page = readFileSync(join(root, 'docs/react/headless.md'), 'utf8')

/** The fields of an interface, in the order of its declaration. */
function fields(path: string, name: string): string[] {
  const { program } = parseSource(path, readFileSync(join(root, path), 'utf8'))
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined
    if (declaration?.type !== 'TSInterfaceDeclaration' || declaration.id.name !== name) continue
    return declaration.body.body.flatMap(member =>
      'key' in member && member.key.type === 'Identifier' ? [member.key.name] : [],
    )
  }
  throw new Error(`${path} has no interface ${name}.`)
}

/** The first column of the table below a heading. */
function rows(heading: string): string[] {
  const section = page.split(/^## /m).find(one => one.startsWith(heading)) ?? ''
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!)
}

test.each([
  ['packages/react/src/hooks/use-tool-call.ts', 'ToolCallView'],
  ['packages/core/src/message/describe-call-with.ts', 'CallDescription'],
])('docs/react/headless.md lists every field of the interface in %s: %s', (path, name) => {
  const declared = fields(path, name)
  expect(declared.length).toBeGreaterThan(8)
  expect(rows(`Every field of \`${name}\``)).toEqual(declared)
})
