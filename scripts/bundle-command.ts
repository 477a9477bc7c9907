import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { lazyPackage } from './lazy-package.ts'

/** The repository. Paths in a metafile are relative to it. */
export const root: string = join(dirname(fileURLToPath(import.meta.url)), '..')

const cli = join(root, 'packages/cli')

const commonOptions: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Names stay readable in stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // Only for clones. Source maps are not packed, because the sources are not.
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
}

/**
 * Large packages that `run` and `serve` load when they need them, with the name of their file. Each is bundled once and
 * completely: unused code in it is smaller than a second copy.
 */
const shared: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/client': 'mcp-client',
  '@modelcontextprotocol/client/validators/cf-worker': 'mcp-validator',
  '@mdream/js': 'mdream',
}

/**
 * Writes the command as it is installed: few files, because reading hundreds takes half a second at startup. Each
 * command has its own file, which is loaded when the command is used. The dependencies in `package.json` (the model
 * providers) stay outside the bundle: each is large, and most runs need one or none. Returns what became part of which
 * file.
 */
export async function bundleCommand(outdir: string): Promise<Metafile[]> {
  const { dependencies } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const yaml = await build({
    ...commonOptions,
    entryPoints: { yaml: 'yaml' },
    outdir: join(outdir, 'chunks'),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    metafile: true,
  })
  const esm: BuildOptions & { metafile: true } = {
    ...commonOptions,
    format: 'esm',
    splitting: true,
    conditions: ['@argot/source'],
    external: Object.keys(dependencies),
    // Bundled CommonJS packages call `require` for Node modules.
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
    metafile: true,
  }
  const command = await build({
    ...esm,
    entryPoints: { bin: join(cli, 'src/bin.ts'), index: join(cli, 'src/index.ts') },
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [separateCommands, sharedPackages, lazyPackage('yaml', './yaml.cjs')],
  })
  // A separate build. Otherwise every command, even the help, would load what it shares with these.
  const serve = await build({
    ...esm,
    entryPoints: Object.fromEntries(separateCommandNames.map(name => [name, join(cli, `src/commands/${name}.ts`)])),
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

/** Commands with their own files, next to the chunks. */
const separateCommandNames = ['serve', 'worker', 'mcp']

const separateCommands: Plugin = {
  name: 'own-serve',
  setup(build) {
    build.onResolve({ filter: /^\.\/(?:serve|worker|mcp)\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: path.replace(/\.ts$/, '.js'), external: true } : undefined,
    )
  },
}

/** Replaces an import of a shared package with its file. */
const sharedPackages: Plugin = {
  name: 'shared-packages',
  setup(build) {
    build.onResolve({ filter: /^@/ }, ({ path }) =>
      Object.hasOwn(shared, path) ? { path: `./${shared[path]}.js`, external: true } : undefined,
    )
  },
}
