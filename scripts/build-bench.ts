import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './bundle-command.ts'

/**
 * Compiles the benchmarks together with Argot, as users get it, and returns the path of the program that runs them.
 * Programs that run TypeScript directly name every function when it is created, which takes longer than some measured
 * code.
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
