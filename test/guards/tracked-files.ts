import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { root } from './workspace.ts'

/** What git would not track, for a copy of the repository without git. */
const untracked = new Set(['.git', 'node_modules', 'dist', 'coverage'])

/** Every file that is, or with the next `git add` will be, part of the repository; from the root, with slashes. */
export function trackedFiles(): string[] {
  try {
    const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return list
      .split('\0')
      .filter(path => path !== '' && statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
  } catch {
    return walk(root)
  }
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !untracked.has(name))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : [relative(root, path).split(sep).join('/')]
    })
}
