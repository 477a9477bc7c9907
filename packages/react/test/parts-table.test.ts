import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('the table of parts in docs/react/theming.md has every data-part of the sources, and no other', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.tsx'))
    .map(name => readFileSync(join(root, 'src', name), 'utf8'))
  const attributes = sources.flatMap(text => text.match(/ data-part=(?:"[^"]*"|\{[^}]*'[^}]*\})/g) ?? [])
  const names = attributes.flatMap(text =>
    [...text.matchAll(/["']([a-z-]+)["']/g)].map(match => match[1]!).filter(name => name !== 'user'),
  )
  const page = readFileSync(join(root, '../../docs/react/theming.md'), 'utf8')
  const table = page.slice(page.indexOf('## Parts'))
  const rows = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(match => match[1]!.match(/[a-z-]+/g) ?? [])
  expect(names.length).toBeGreaterThan(50)
  expect(rows.toSorted()).toEqual([...new Set(names)].toSorted())
})
