import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folders, packages } from './drawings.ts'
import { type ArchitectureRules, type Arrows, checkArchitecture } from './guards/check-architecture.ts'
import { readWorkspace, type WorkspacePackage } from './guards/workspace.ts'

const rules: ArchitectureRules = { packages, folders, node: [], only: [], bare: {}, bundled: [], never: [] }

test('every package has a diagram of its own', () => {
  const made = readWorkspace().map(({ folder }) => folder)
  expect(made.filter(folder => !Object.hasOwn(folders, folder))).toEqual([])
})

describe.each(Object.entries(folders))('the diagram of %s', (folder, arrows) => {
  const places = Object.keys(arrows)
  const pairs = places.flatMap(from => places.filter(to => to !== from).map(to => ({ from, to })))

  test('allows the imports along its arrows', () => {
    expect(check(folder, arrows)).toEqual([])
  })

  test.each(['import', 'export type *'])('forbids every other import, as `%s`', keyword => {
    for (const { from, to } of pairs) {
      const file = fileIn(folder, from, 'planted.ts')
      const specifier = specifierOf(file, fileIn(folder, to))
      const found = check(folder, arrows, { [file]: `${keyword}${keyword === 'import' ? '' : ' from'} '${specifier}'` })
      const rule = `no arrow leads from ${from} to ${to} in the diagram of ${folder}`
      const allowed = reach(arrows, from).has(to)
      expect(found, `${from} to ${to}`).toEqual(allowed ? [] : [`${file}:1 imports '${specifier}': ${rule}.`])
    }
  })

  test('forbids the way back of every arrow, and sees the circle of files that it closes', () => {
    for (const [from, ends] of Object.entries(arrows)) {
      for (const to of ends) {
        const file = fileIn(folder, to)
        const back = `import type { A } from '${specifierOf(file, fileIn(folder, from))}'`
        const found = check(folder, arrows, { [file]: `${back}\n${textOf(folder, arrows, to)}` })
        expect(found.join('\n')).toContain(`no arrow leads from ${to} to ${from} in the diagram of ${folder}`)
        expect(found.join('\n')).toContain('files must not import each other in a circle')
      }
    }
  })

  test('forbids a circle of files in each of its folders', () => {
    for (const name of places) {
      const [a, b] = [fileIn(folder, name, 'a.ts'), fileIn(folder, name, 'b.ts')]
      const found = check(folder, arrows, { [a]: `import './b.ts'`, [b]: `export type * from './a.ts'` })
      expect(found).toEqual([`${a} → ${b} → ${a}: files must not import each other in a circle.`])
    }
  })

  test('forbids a folder that it does not draw', () => {
    const found = check(folder, arrows, { [`${folder}/src/extras/a.ts`]: '' })
    expect(found).toEqual([`${folder}/src/extras is not drawn in the diagram of ${folder}.`])
  })

  test('may not itself lead back, nor to a place that it does not draw', () => {
    for (const { from, to } of pairs.filter(pair => reach(arrows, pair.to).has(pair.from))) {
      const found = check(folder, { ...arrows, [from]: [...(arrows[from] ?? []), to] })
      expect(found.join('\n')).toContain(`arrows must not lead in a circle in the diagram of ${folder}.`)
    }
    const found = check(folder, { ...arrows, '.': [...(arrows['.'] ?? []), 'nowhere'] })
    expect(found).toEqual([`. → nowhere: nowhere is not drawn in the diagram of ${folder}.`])
  })

  test('may not be missing', () => {
    const { [folder]: _, ...others } = folders
    const found = checkArchitecture(asDrawn(folder, arrows, {}), { ...rules, folders: others })
    expect(found).toEqual([`${folder} has no diagram of its own.`])
  })

  // Where all is one place, no import leads upwards.
  test.skipIf(places.length === 1)(
    'is kept in the real sources: an import upwards that is planted there is found',
    () => {
      const bottom = places.find(name => arrows[name]?.length === 0) ?? '.'
      const planted = fileIn(folder, bottom, 'planted.ts')
      // A package has its door at the top, a page its program.
      const real = readWorkspace()
      const top = [`${folder}/src/index.ts`, `${folder}/src/main.tsx`].find(path =>
        real.some(one => one.files.has(path)),
      )
      const specifier = specifierOf(planted, top!)
      const workspace = real.map(one =>
        one.folder === folder ? { ...one, files: new Map([...one.files, [planted, `import '${specifier}'`]]) } : one,
      )
      const rule = `no arrow leads from ${bottom} to . in the diagram of ${folder}`
      expect(checkArchitecture(workspace, rules)).toContain(`${planted}:1 imports '${specifier}': ${rule}.`)
    },
  )
})

test('a folder in a folder that is drawn is a place of its own, one that is not is a part of the folder around it', () => {
  const arrows: Arrows = { '.': ['a/drawn'], 'a/drawn': ['a'], a: [] }
  const texts = {
    'packages/core/src/a/deep/down/file.ts': `import '../../file.ts'`,
    'packages/core/src/a/up.ts': `import './deep/down/file.ts'\nimport './drawn/file.ts'`,
  }
  expect(check('packages/core', arrows, texts)).toEqual([
    `packages/core/src/a/up.ts:2 imports './drawn/file.ts': no arrow leads from a to a/drawn in the diagram of packages/core.`,
  ])
})

/** What is wrong with a package that has a file in each place of its diagram, and these files besides or instead. */
function check(folder: string, arrows: Arrows, changes: Record<string, string> = {}): string[] {
  const workspace = asDrawn(folder, arrows, changes)
  return checkArchitecture(workspace, { ...rules, folders: { ...folders, [folder]: arrows } })
}

function asDrawn(folder: string, arrows: Arrows, changes: Record<string, string>): WorkspacePackage[] {
  const drawn = Object.keys(arrows).map(name => [fileIn(folder, name), textOf(folder, arrows, name)] as const)
  return [{ folder, manifest: {}, files: new Map([...drawn, ...Object.entries(changes)]) }]
}

/** Imports what the arrows of a place lead to. */
function textOf(folder: string, arrows: Arrows, name: string): string {
  const ends = (arrows[name] ?? []).filter(end => Object.hasOwn(arrows, end))
  return ends.map(end => `import '${specifierOf(fileIn(folder, name), fileIn(folder, end))}'`).join('\n')
}

function fileIn(folder: string, name: string, file = 'file.ts'): string {
  return posix.join(folder, 'src', name, file)
}

function specifierOf(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

/** Every place that a way of arrows leads to. */
function reach(arrows: Arrows, from: string, found: Set<string> = new Set()): Set<string> {
  for (const end of arrows[from] ?? []) {
    if (!found.has(end)) reach(arrows, end, found.add(end))
  }
  return found
}
