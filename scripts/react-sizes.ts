import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'
import { build, defaultClientConditions, type Rolldown } from 'vite'
import { joinStyles, sheets } from './join-styles.ts'

const root = new URL('../apps/gallery', import.meta.url).pathname

export interface ReactSizes {
  atOnce: number
  later: Map<string, number>
}

/**
 * How much a page loads immediately for this import, and later by chunk name: bytes, minified and compressed, without
 * React.
 */
export async function measureReact(source: string): Promise<ReactSizes> {
  const result = await productionBuild(source)
  const chunks = result.output.filter(one => one.type === 'chunk')
  const atOnce = new Set<string>()
  const follow = (name: string): void => {
    const chunk = chunks.find(one => one.fileName === name)
    if (chunk === undefined || atOnce.has(name)) return
    atOnce.add(name)
    for (const next of chunk.imports) follow(next)
  }
  follow(chunks.find(one => one.isEntry)!.fileName)
  const sizes = chunks.map(({ fileName, name, code }) => ({ fileName, name, size: gzipSync(code).length }))
  return {
    atOnce: sizes.filter(one => atOnce.has(one.fileName)).reduce((sum, one) => sum + one.size, 0),
    later: new Map(sizes.filter(one => !atOnce.has(one.fileName)).map(({ name, size }) => [name, size])),
  }
}

/** Vite builds for production only if the environment says so. It is restored afterwards. */
async function productionBuild(source: string): Promise<Rolldown.RolldownOutput> {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    return (await build({
      root,
      configFile: false,
      publicDir: false,
      logLevel: 'silent',
      resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
      plugins: [
        {
          name: 'entry',
          resolveId: id => (id === 'measured' ? `${root}/measured.ts` : undefined),
          load: id => (id.endsWith('/measured.ts') ? source : undefined),
        },
      ],
      build: {
        write: false,
        minify: true,
        target: 'es2023',
        modulePreload: false,
        rolldownOptions: {
          input: 'measured',
          external: [/^react(-dom)?(\/|$)/],
          // As in an application: code that the entry shares with a later chunk stays in the entry, which may export
          // it.
          preserveEntrySignatures: 'allow-extension',
        },
      },
    })) as Rolldown.RolldownOutput
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

/** In bytes, minified and compressed. */
export function measureStyles(name: (typeof sheets)[number]): number {
  return gzipSync(transformSync(joinStyles(name), { loader: 'css', minify: true }).code).length
}

/** The promised maximum in bytes: loaded immediately for a card and for a whole chat, and by later chunks. */
export const sizeLimits = {
  card: { source: "export { ToolCard } from '@argot/react'", atOnce: 15_000 },
  chat: { source: "export { ChatBox } from '@argot/react'", atOnce: 63_000 },
  styles: { 'card.css': 4000, 'card-open.css': 5000, 'styles.css': 11_500 },
  later: { 'markdown-body': 36_000, highlighted: 5000, 'diff-body': 5000 },
} as const

/** One sentence for each style sheet that exceeds its limit. */
export function findStyleProblems(): string[] {
  return sheets.flatMap(name => {
    const [size, most] = [measureStyles(name), sizeLimits.styles[name]]
    return size > most ? [`${name}: ${size} bytes, not ${most}.`] : []
  })
}

/** One sentence for each chunk that exceeds its limit. */
export function findSizeProblems(name: string, { atOnce, later }: ReactSizes, limit: number): string[] {
  const problems = atOnce > limit ? [`${name}: ${atOnce} bytes, not ${limit}.`] : []
  for (const [chunk, most] of Object.entries(sizeLimits.later)) {
    const size = later.get(chunk)
    if (size === undefined) problems.push(`${chunk} is not a chunk of its own.`)
    else if (size > most) problems.push(`${chunk}: ${size} bytes, not ${most}.`)
  }
  return problems
}
