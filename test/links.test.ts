import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { anchorsOf, findLinks } from './guards/find-links.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

/** Pages that people read; a fixture may link anywhere. */
const pages = trackedFiles().filter(path => path.endsWith('.md') && !/(?:^|\/)fixtures\//.test(path))

test('every link of a page leads to a file of the repository, and to a heading that is there', () => {
  const files = new Set(trackedFiles())
  const isThere = (path: string): boolean =>
    files.has(path) || [...files].some(file => file.startsWith(`${path.replace(/\/$/, '')}/`))
  const broken = pages.flatMap(page =>
    findLinks(readFileSync(join(root, page), 'utf8'))
      .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target))
      .flatMap(({ line, target }) => {
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? page : posix.join(posix.dirname(page), path)
        if (!isThere(file)) return [`${page}:${line} ${target}: there is no such file`]
        if (anchor === undefined || !file.endsWith('.md')) return []
        const isHeading = anchorsOf(readFileSync(join(root, file), 'utf8')).has(anchor)
        return isHeading ? [] : [`${page}:${line} ${target}: there is no such heading`]
      }),
  )
  expect(broken).toEqual([])
})

test('a page is read by somebody: each of docs/ is linked from another page', () => {
  const linked = new Set(
    pages.flatMap(page =>
      findLinks(readFileSync(join(root, page), 'utf8')).map(({ target }) =>
        posix.join(posix.dirname(page), target.split('#')[0]!),
      ),
    ),
  )
  const inDecisions = linked.has('docs/decisions')
  const lost = pages.filter(page => page.startsWith('docs/') && !linked.has(page))
  expect(lost.filter(page => !(inDecisions && page.startsWith('docs/decisions/')))).toEqual([])
})

/** What a build makes, or a name with a placeholder. */
const notInGit = /NN|NAME|\bdist\b|^packages\/server\/page(?:\/|$)/

/** Files that a page names in code, from the root: `packages/core/src/…`. */
test('every path from the root that a page names in code is there', () => {
  const named = /`((?:packages|apps|test|docs|examples|fixtures|bench|scripts|samples|editors)\/[\w./-]*\w)`/g
  const missing = pages
    .filter(page => page !== 'CHANGELOG.md')
    .flatMap(page =>
      [...readFileSync(join(root, page), 'utf8').matchAll(named)]
        .map(match => match[1]!)
        .filter(path => !notInGit.test(path) && !existsSync(join(root, path)))
        .map(path => `${page} names ${path}`),
    )
  expect(missing).toEqual([])
})
