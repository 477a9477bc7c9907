import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './guards/workspace.ts'

const page = readFileSync(join(root, 'docs/seeds.md'), 'utf8')

/** The lines of the tables: what is required, and the file and the name of the test that proves it. */
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| Requirement') && !line.startsWith('| ---'))
  .map(line => line.slice(2, -2).split(/(?<!\\) \| /))
  .map(cells => cells.map(cell => cell.replaceAll('\\|', '|')))

test('every requirement of the seeds names one test, and the test is there', () => {
  const problems = rows.flatMap(([requirement, file = '', name = '', ...more]) => {
    const path = join(root, file.slice(1, -1))
    if (name === '' || more.length > 0) return [`${requirement}: a line has three cells`]
    if (!/\.(?:test\.tsx?|ts)`$/.test(file) || !existsSync(path)) return [`${requirement}: there is no ${file}`]
    const text = readFileSync(path, 'utf8')
    const written = [name, name.replaceAll("'", "\\'")].flatMap(one => [`'${one}'`, `"${one}"`, `\`${one}\``])
    return written.some(one => text.includes(one)) ? [] : [`${requirement}: ${file} has no test "${name}"`]
  })
  expect(problems).toEqual([])
})

test('all five seeds are there, and no requirement twice', () => {
  expect(page.match(/^## .*/gm)).toHaveLength(5)
  const requirements = rows.map(([requirement]) => requirement)
  expect(requirements.length).toBeGreaterThan(150)
  expect(new Set(requirements).size).toBe(requirements.length)
})
