import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { lazyPackage } from './lazy-package.ts'

/** The folder of the repository; the paths of a metafile begin there. */
export const root: string = join(dirname(fileURLToPath(import.meta.url)), '..')

const cli = join(root, 'packages/cli')

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Names stay readable in what a user reports.
  minifyWhitespace: true,
  minifySyntax: true,
  // Beside the files in a clone; they are not packed, because the sources are not.
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
}

/**
 * Large packages that a run and `serve` load when they need them, by the name of the file that each is in: there once for
 * both, whole, because what neither uses weighs less than a second copy.
 */
const shared: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/client': 'mcp-client',
  '@modelcontextprotocol/client/validators/cf-worker': 'mcp-validator',
  '@mdream/js': 'mdream',
}

/**
 * Writes the command as it is installed: a few files with everything in them, because a start that reads hundreds takes
 * half a second. Each command is a file of its own, loaded when it is used. What `package.json` names as dependencies, the
 * providers of models, stays outside: each is large, and most runs need one or none. Says what became part of which file.
 */
export async function bundleCommand(outdir: string): Promise<Metafile[]> {
  const { dependencies } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const yaml = await build({
    ...common,
    entryPoints: { yaml: 'yaml' },
    outdir: join(outdir, 'chunks'),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    metafile: true,
  })
  const esm: BuildOptions & { metafile: true } = {
    ...common,
    format: 'esm',
    splitting: true,
    conditions: ['@argot/source'],
    external: Object.keys(dependencies),
    // The packages of the bundle that are not ES modules ask for parts of Node by `require`.
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
    metafile: true,
  }
  const command = await build({
    ...esm,
    entryPoints: { bin: join(cli, 'src/bin.ts'), index: join(cli, 'src/index.ts') },
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [ownServe, sharedPackages, lazyPackage('yaml', './yaml.cjs')],
  })
  // By itself: what it shares with every other command would be loaded by all of them, the help included.
  const serve = await build({
    ...esm,
    entryPoints: Object.fromEntries(ownCommands.map(name => [name, join(cli, `src/commands/${name}.ts`)])),
    outdir: join(outdir, 'chunks'),
    chunkNames: 'serve-[name]-[hash]',
    plugins: [sharedPackages, lazyPackage('yaml', './yaml.cjs')],
  })
  const packages = await build({
    ...esm,
    entryPoints: Object.fromEntries(Object.entries(shared).map(([name, file]) => [file, name])),
    outdir: join(outdir, 'chunks'),
    chunkNames: 'shared-[name]-[hash]',
  })
  return [yaml.metafile, command.metafile, serve.metafile, packages.metafile]
}

/** Commands that are loaded from files of their own, beside the chunks. */
const ownCommands = ['serve', 'worker', 'mcp']

const ownServe: Plugin = {
  name: 'own-serve',
  setup(build) {
    build.onResolve({ filter: /^\.\/(?:serve|worker|mcp)\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: path.replace(/\.ts$/, '.js'), external: true } : undefined,
    )
  },
}

/** The packages that are in files of their own, beside the chunks. */
const sharedPackages: Plugin = {
  name: 'shared-packages',
  setup(build) {
    build.onResolve({ filter: /^@/ }, ({ path }) =>
      Object.hasOwn(shared, path) ? { path: `./${shared[path]}.js`, external: true } : undefined,
    )
  },
}
