import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joinStyles, sheets, themes } from '../../../scripts/join-styles.ts'

const folder = join(import.meta.dirname, '..')
const listParts = (name: string): string[] =>
  [...readFileSync(join(folder, name), 'utf8').matchAll(/@import "(.+)";/g)].flatMap(([, path]) =>
    path!.startsWith('./styles/') ? [path!] : listParts(path!),
  )
const parts = listParts('styles.css')

test.each(sheets)('%s is packed as one file with every part, in the order of its imports', name => {
  const parts = listParts(name)
  const joined = joinStyles(name)
  expect(joined).not.toContain('@import')
  const places = parts.map(path => joined.indexOf(readFileSync(join(folder, path), 'utf8')))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('a card has the same parts in the same order as the chat, closed before open', () => {
  const card = [...listParts('card.css'), ...listParts('card-open.css')]
  expect(parts.slice(0, card.length)).toEqual(card)
})

test('every theme is after the styles in the order of layers, and has nothing outside of its own', () => {
  expect(readdirSync(join(folder, 'themes')).toSorted()).toEqual([...themes])
  for (const name of themes) {
    const css = readFileSync(join(folder, 'themes', name), 'utf8').replace(/^\/\*[\s\S]*?\*\/\n/gm, '')
    expect(css).toMatch(
      /^@layer argot, argot-theme;\n(?:\n|@property --argot-[\w-]+ \{\n(?: {2}.*\n)+\}\n)*@layer argot-theme \{\n(?: {2}.*\n|\n)*\}\n$/,
    )
  }
})

test('every file of styles is a part, and each has its rules in the layer', () => {
  const files = readdirSync(join(folder, 'styles')).map(name => `./styles/${name}`)
  expect(parts.toSorted()).toEqual(files.toSorted())
  for (const path of parts) {
    expect(readFileSync(join(folder, path), 'utf8')).toMatch(/^(?:\/\*.*\*\/\n)?@layer argot \{\n(?: {2}.*\n|\n)*\}\n$/)
  }
})
