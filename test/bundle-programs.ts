import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildSync } from 'esbuild'
import { inject } from 'vitest'

/** The providers of models: each is large, and most programs need one or none. */
const { dependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../packages/cli/package.json'), 'utf8'),
) as { dependencies: Record<string, string> }

/**
 * Makes these programs a few files each, as the command is installed, and gives their paths: a start from source reads 400
 * files. The bundle is made once for all files of tests, and goes when the run of Vitest ends.
 */
export function bundlePrograms(programs: readonly string[]): string[] {
  const folder = join(inject('bundles'), createHash('sha256').update(programs.join('\n')).digest('hex').slice(0, 12))
  if (!existsSync(folder)) build(programs, folder)
  return programs.map(program => join(folder, `${nameOf(program)}.mjs`))
}

function build(programs: readonly string[], folder: string): void {
  const draft = `${folder}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  buildSync({
    entryPoints: Object.fromEntries(programs.map(program => [nameOf(program), program])),
    outdir: draft,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    conditions: process.env.ARGOT_TESTS === 'dist' ? [] : ['@argot/source'],
    external: Object.keys(dependencies),
    // The packages that are not ES modules ask for parts of Node by `require`.
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
    logLevel: 'error',
  })
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another worker was faster.
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true, force: true })
  }
}

function nameOf(program: string): string {
  return basename(program).replace(/\.(?:tsx?|mjs)$/, '')
}
