import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './bundle-command.ts'
import { packageFolder, publishedFolders } from './published-packages.ts'

// `npm run check:packages`, after `npm run build`. The tools besides publint are fetched when needed: they bring another
// TypeScript, which no other command uses.

const place = mkdtempSync(join(tmpdir(), 'argot-check-'))
try {
  const checks = publishedFolders.flatMap(folder => {
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', place], {
      cwd: packageFolder(folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const tarball = join(place, (JSON.parse(output) as [{ filename: string }])[0].filename)
    return [
      npx('publint@0.3.25', 'run', tarball, '--strict'),
      npx('@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'esm-only', '--format', 'table-flipped'),
    ]
  })
  checks.push(
    npx('knip@6.44.2', '--no-progress', '--production', '--include', 'files,dependencies,unlisted,unresolved'),
  )
  process.exitCode = checks.every(Boolean) ? 0 : 1
} finally {
  rmSync(place, { recursive: true, force: true })
}

function npx(...args: readonly string[]): boolean {
  return spawnSync('npx', ['--yes', ...args], { cwd: root, stdio: 'inherit' }).status === 0
}
