import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folders, packages } from './drawings.ts'
import { readDrawing } from './guards/read-drawing.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

const architecture = read('ARCHITECTURE.md')
const contributing = read('CONTRIBUTING.md')
const files = trackedFiles()

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The rows of the table under these words, each as its cells. */
function rowsAfter(page: string, words: string): string[][] {
  expect(page).toContain(words)
  const rows = page.slice(page.indexOf(words)).split('\n')
  const first = rows.findIndex(line => line.startsWith('| --- '))
  const end = rows.findIndex((line, index) => index > first && !line.startsWith('|'))
  return rows.slice(first + 1, end).map(line =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

function inCode(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(match => match[1]!)
}

describe('ARCHITECTURE.md', () => {
  test('draws the arrows of test/drawings.ts, and no others', () => {
    const drawn = readDrawing(architecture)
    const names = new Map(Object.keys(packages).map(folder => [basename(folder), folder]))
    const asDrawn = (arrows: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
      Object.fromEntries(
        Object.entries(arrows)
          .filter(([, ends]) => ends.length > 0)
          .map(([from, ends]): [string, string[]] => [
            from === '.' ? 'index' : basenameOf(from),
            ends.map(basenameOf).sort(),
          ]),
      )
    const basenameOf = (name: string): string => (Object.hasOwn(packages, name) ? basename(name) : name)
    expect(drawn.packages).toEqual(asDrawn(packages))
    for (const [name, folder] of names) {
      expect(drawn[name] ?? {}, `the drawing of ${folder}`).toEqual(asDrawn(folders[folder]!))
    }
    expect(Object.keys(drawn).filter(name => name !== 'packages' && !names.has(name))).toEqual([])
  })

  test('has a row for every door', () => {
    const doors = rowsAfter(architecture, 'A package has few doors').flatMap(([door]) => inCode(door!))
    expect(doors.sort()).toEqual(Object.keys(JSON.parse(read('test/public-names.json')) as object).sort())
  })

  test('says of each shape in which file it is', () => {
    for (const [names, place] of rowsAfter(architecture, '## The shapes of a message')) {
      const source = read(/\]\(([^)]+)\)/.exec(place!)![1]!)
      for (const name of inCode(names!)) expect(source).toMatch(new RegExp(`export (?:interface|type) ${name}\\b`))
    }
  })

  test('calls each file that it links by its name', () => {
    const links = [...architecture.matchAll(/\[([\w./-]+\.\w+)\]\(([^)#]+)\)/g)]
    expect(links.length).toBeGreaterThan(30)
    expect(links.filter(([, label, path]) => basename(label!) !== basename(path!)).map(([link]) => link)).toEqual([])
  })

  test.each(rowsAfter(architecture, '## The laws'))('the law "%s" has the guards that it names', (_, guards) => {
    const named = inCode(guards!).filter(name => /\.test\.tsx?$|^npm run |^[\w-]+(?:\/[\w-]+)+$/.test(name))
    expect(named.length > 0 || guards!.includes('the conformance suite')).toBe(true)
    expect(named.filter(name => !isGuard(name))).toEqual([])
  })
})

/** A test file, a folder with tests, or a script, by the end of its path. */
function isGuard(name: string): boolean {
  const script = /^npm run ([\w:]+)/.exec(name)?.[1]
  if (script !== undefined) return script in (JSON.parse(read('package.json')) as { scripts: object }).scripts
  const end = name.replace(/[.]/g, '\\.').replace('*', '[^/]*')
  return files.some(path => new RegExp(`(?:^|/)${end}(?:$|/.*\\.test\\.tsx?$)`).test(path))
}

describe('CONTRIBUTING.md', () => {
  test.each(rowsAfter(contributing, '| Command | Does |'))('the command %s is there', command => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    for (const [, name] of command!.matchAll(/npm run (?:-s )?([\w:]+)/g)) expect(Object.keys(scripts)).toContain(name)
    for (const [, path] of command!.matchAll(/vitest run ([\w./-]+)/g)) expect(existsSync(join(root, path!))).toBe(true)
  })

  test('has every script of package.json in its table, apart from those that another one runs', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const table = rowsAfter(contributing, '| Command | Does |').flat().join('\n')
    const unnamed = Object.keys(scripts).filter(
      name => !new RegExp(`(?:npm (?:run (?:-s )?)?|\`)${name}(?![\\w:])`).test(table),
    )
    expect(unnamed).toEqual([])
  })

  test('has a row for every folder at the root and every package and app', () => {
    const rows = rowsAfter(contributing, '| Folder | Holds |').flatMap(([folder]) => inCode(folder!))
    const all = new Set(
      files.filter(path => path.includes('/') && !path.startsWith('.')).map(path => path.split('/')[0]!),
    )
    const parts = [...new Set(files.map(path => /^(?:packages|apps)\/[^/]+(?=\/)/.exec(path)?.[0] ?? ''))].filter(
      Boolean,
    )
    const wanted = [...[...all].filter(name => name !== 'packages' && name !== 'apps'), ...parts]
    expect(wanted.filter(name => !rows.some(row => row === name || row.startsWith(`${name}/`)))).toEqual([])
    expect(rows.filter(row => !existsSync(join(root, row)))).toEqual([])
  })

  test.each(Object.entries(folders).filter(([folder]) => folder.startsWith('packages/') && folder !== 'packages/core'))(
    'names the folders of %s',
    (folder, arrows) => {
      const row = rowsAfter(contributing, '| Folder | Holds |').find(([cell]) => cell === `\`${folder}\``)
      const own = Object.keys(arrows).filter(name => name !== '.' && !name.includes('/'))
      expect(own.filter(name => !inCode(row![1]!).includes(name))).toEqual([])
    },
  )
})
