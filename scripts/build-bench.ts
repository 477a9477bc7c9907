import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './bundle-command.ts'

/**
 * Compiles the benches and Argot as a user gets them, and gives the program that runs them. What runs TypeScript as it is
 * gives every function its name when it is made, which takes longer than some of what is measured.
 */
export async function buildBench(): Promise<string> {
  const outdir = join(root, 'dist')
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: readdirSync(join(root, 'bench'))
      .filter(name => name.endsWith('.ts'))
      .map(name => join('bench', name)),
    outdir,
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['@argot/source'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'packages of others stay outside',
        setup(builder) {
          builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || /^(?:argot|@argot)(?:\/|$)/.test(path) ? undefined : { path, external: true },
          )
        },
      },
    ],
  })
  return join(outdir, 'run.js')
}
