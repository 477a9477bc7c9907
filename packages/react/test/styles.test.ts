import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joinStyles } from '../../../scripts/join-styles.ts'

const folder = join(import.meta.dirname, '..')
const parts = [...readFileSync(join(folder, 'styles.css'), 'utf8').matchAll(/@import "(.+)";/g)].map(match => match[1]!)

test('the packed style sheet is one file with every part, in the order of its imports', () => {
  const joined = joinStyles()
  expect(joined).not.toContain('@import')
  const places = parts.map(path => joined.indexOf(readFileSync(join(folder, path), 'utf8')))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('every file of styles is a part, and each has its rules in the layer', () => {
  const files = readdirSync(join(folder, 'styles')).map(name => `./styles/${name}`)
  expect(parts.toSorted()).toEqual(files.toSorted())
  for (const path of parts) {
    expect(readFileSync(join(folder, path), 'utf8')).toMatch(/^(?:\/\*.*\*\/\n)?@layer argot \{\n(?: {2}.*\n|\n)*\}\n$/)
  }
})
