import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'
import { build, defaultClientConditions, type Rolldown } from 'vite'
import { joinStyles, sheets } from './join-styles.ts'

const root = new URL('../apps/gallery', import.meta.url).pathname

export interface ReactSizes {
  atOnce: number
  later: Map<string, number>
}

/** What a page loads at once for this import, minified and compressed, without React; and what it loads later, by name. */
export async function reactSizes(source: string): Promise<ReactSizes> {
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
  const sized = chunks.map(({ fileName, name, code }) => ({ fileName, name, size: gzipSync(code).length }))
  return {
    atOnce: sized.filter(one => atOnce.has(one.fileName)).reduce((sum, one) => sum + one.size, 0),
    later: new Map(sized.filter(one => !atOnce.has(one.fileName)).map(({ name, size }) => [name, size])),
  }
}

/** Vite builds for production only where the environment says so; whoever asked keeps theirs. */
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
          // As in an application: what the entry and a later chunk share stays in the entry, which may export it.
          preserveEntrySignatures: 'allow-extension',
        },
      },
    })) as Rolldown.RolldownOutput
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

/** A style sheet, minified and compressed. */
export function styleSize(name: (typeof sheets)[number]): number {
  return gzipSync(transformSync(joinStyles(name), { loader: 'css', minify: true }).code).length
}

/** What is promised, in bytes: what a page loads at once for a card and for a whole chat, and the chunks that come later. */
export const sizeLimits = {
  card: { source: "export { ToolCard } from '@argot/react'", atOnce: 15_000 },
  chat: { source: "export { ChatBox } from '@argot/react'", atOnce: 63_000 },
  styles: { 'card.css': 4000, 'card-open.css': 5000, 'styles.css': 11_500 },
  later: { 'markdown-body': 36_000, highlighted: 5000, 'diff-body': 5000 },
} as const

/** The style sheets that are larger than promised, in words. */
export function overStyles(): string[] {
  return sheets.flatMap(name => {
    const [size, most] = [styleSize(name), sizeLimits.styles[name]]
    return size > most ? [`${name}: ${size} bytes, not ${most}.`] : []
  })
}

/** What is larger than promised, in words. */
export function overSize(name: string, { atOnce, later }: ReactSizes, limit: number): string[] {
  const over = atOnce > limit ? [`${name}: ${atOnce} bytes, not ${limit}.`] : []
  for (const [chunk, most] of Object.entries(sizeLimits.later)) {
    const size = later.get(chunk)
    if (size === undefined) over.push(`${chunk} is not a chunk of its own.`)
    else if (size > most) over.push(`${chunk}: ${size} bytes, not ${most}.`)
  }
  return over
}
