import { readFileSync } from 'node:fs'
import { dialects } from '@argot/core/syntax'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../../../docs/syntaxes/dialects.md', import.meta.url), 'utf8')

/** The rows of the last table: names, a call, the models. */
const rows = page
  .slice(page.indexOf('| Dialect | A call | Models |'))
  .split('\n')
  .slice(2)
  .filter(line => line.startsWith('|'))
  .map(line => line.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|')))

const inCode = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)

/** On one line, and with quotes for the backticks that code cannot have. */
const flat = (text: string): string => text.trim().replace(/\s+/g, ' ').replaceAll('`', "'")

test('docs/syntaxes/dialects.md has the dialects in their order, with their other names and their models', () => {
  expect(rows.map(([, names, , models]) => [...inCode(names!), models])).toEqual(
    dialects.map(({ dialect, aliases = [], models }) => [
      dialect.name,
      ...aliases,
      models === undefined ? '' : `\`${models.source}\``,
    ]),
  )
})

test.each(dialects.map(({ dialect }) => dialect))('$name writes a call as its row shows it', dialect => {
  const row = rows.find(([, names]) => inCode(names!)[0] === dialect.name)
  const call = dialect.format({ toolCallId: 'ID', toolName: 'NAME', input: { KEY: 'value' } })
  expect(flat(call)).toBe(inCode(row![2]!)[0])
})
