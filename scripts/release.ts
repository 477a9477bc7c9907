import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './bundle-command.ts'
import { packageFolder, publishedFolders, readRelease, writeAddresses } from './published-packages.ts'
import { findMissingSteps, findPackageProblems } from './release-problems.ts'

// `npm run release -- --dry-run` checks, builds and packs the packages, and prints what would be published. Without the flag
// it publishes, which the release workflow does. `--addresses` copies the root's addresses into the packages.

interface Tarball {
  name: string
  version: string
  filename: string
  size: number
  unpackedSize: number
  entryCount: number
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, addresses: { type: 'boolean' }, files: { type: 'boolean' } },
})
if (values.addresses === true) writeAddresses()
else process.exitCode = release(values['dry-run'] === true, values.files === true)

function release(isDryRun: boolean, listsFiles: boolean): number {
  const state = readRelease()
  const problems = findPackageProblems(state)
  const steps = findMissingSteps(state)
  const blockers = isDryRun ? problems : [...problems, ...steps]
  if (blockers.length > 0) {
    for (const blocker of blockers) console.error(blocker)
    return 1
  }
  // The build prints sizes. They go to stderr, so that stdout has only the list.
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: ['ignore', 2, 2] })
  const tarballFolder = mkdtempSync(join(tmpdir(), 'argot-release-'))
  try {
    const tarballs = publishedFolders.map(folder => pack(folder, tarballFolder, listsFiles))
    if (isDryRun) {
      for (const step of steps) console.error(`Before a release: ${step}`)
      return 0
    }
    for (const tarball of tarballs) publish(tarball, tarballFolder)
    return 0
  } finally {
    rmSync(tarballFolder, { recursive: true, force: true })
  }
}

function pack(folder: string, tarballFolder: string, listsFiles: boolean): Tarball {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', tarballFolder], {
    cwd: packageFolder(folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [tarball] = JSON.parse(output) as [Tarball & { files: { path: string; size: number }[] }]
  const { name, version, entryCount, size, unpackedSize, files } = tarball
  console.log(`${name}@${version}: ${entryCount} files, ${formatKb(size)} packed, ${formatKb(unpackedSize)} unpacked`)
  if (listsFiles) for (const file of files) console.log(`  ${file.path} (${formatKb(file.size)})`)
  return tarball
}

/** Skips a version that is already published, so that an interrupted release can be repeated. */
function publish({ name, version, filename }: Tarball, tarballFolder: string): void {
  const { stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' })
  if (stdout.trim() === version) console.log(`${name}@${version} is already published.`)
  else execFileSync('npm', ['publish', join(tarballFolder, filename)], { cwd: root, stdio: 'inherit' })
}

function formatKb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
