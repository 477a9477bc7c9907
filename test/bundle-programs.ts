import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll } from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cache = join(root, 'node_modules/.cache/argot-test')
let count = 0

/** The providers of models: each is large, and most programs need one or none. */
const { dependencies } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

/**
 * Makes these programs a few files each, as the command is installed, and gives their paths: a start from source reads 400
 * files. They are gone when the tests of the file are over.
 */
export function bundlePrograms(programs: readonly string[]): string[] {
  // Below node_modules, so that the packages are found from there.
  const outdir = join(cache, `${process.pid}-${count}`)
  count += 1
  mkdirSync(outdir, { recursive: true })
  afterAll(() => rmSync(outdir, { recursive: true, force: true }))
  buildSync({
    entryPoints: Object.fromEntries(programs.map(program => [nameOf(program), program])),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    conditions: ['@argot/source'],
    external: Object.keys(dependencies),
    // The packages that are not ES modules ask for parts of Node by `require`.
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
    logLevel: 'error',
  })
  return programs.map(program => join(outdir, `${nameOf(program)}.mjs`))
}

function nameOf(program: string): string {
  return basename(program).replace(/\.tsx?$/, '')
}
