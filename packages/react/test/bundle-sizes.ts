import { gzipSync } from 'node:zlib'
import { build, defaultClientConditions } from 'vite'
import { root } from '../../../test/guards/workspace.ts'

/** What a page loads for something of `@argot/react`, in bytes after gzip; React is not counted. */
export interface BundleSizes {
  /** What is loaded at once. */
  first: number
  /** What is loaded when it is needed: Markdown, diffs and so on, by the name of the chunk. */
  later: ReadonlyMap<string, number>
}

/** Bundles an import of these names as an application would. */
export async function bundleSizes(names: readonly string[]): Promise<BundleSizes> {
  const id = '\0entry'
  process.env.NODE_ENV = 'production'
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
    plugins: [
      {
        name: 'entry',
        resolveId: source => (source === 'entry' ? id : undefined),
        load: source => (source === id ? `export { ${names.join(', ')} } from '@argot/react'` : undefined),
      },
    ],
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rollupOptions: {
        input: 'entry',
        external: /^react(-dom)?($|\/)/,
        preserveEntrySignatures: 'strict',
      },
    },
  })
  const [output] = [built].flat()
  if (output === undefined || !('output' in output)) throw new Error('Nothing was built.')
  const chunks = output.output.filter(one => one.type === 'chunk')
  const entry = chunks.find(chunk => chunk.isEntry)!
  const byFile = new Map(chunks.map(chunk => [chunk.fileName, chunk]))
  const first = new Set<string>()
  const visit = (file: string): void => {
    const chunk = byFile.get(file)
    if (chunk === undefined || first.has(file)) return
    first.add(file)
    for (const next of chunk.imports) visit(next)
  }
  visit(entry.fileName)
  const size = (file: string): number => gzipSync(byFile.get(file)!.code, { level: 9 }).length
  return {
    first: [...first].reduce((sum, file) => sum + size(file), 0),
    later: new Map(chunks.filter(chunk => !first.has(chunk.fileName)).map(chunk => [chunk.name, size(chunk.fileName)])),
  }
}
