import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ManualPage {
  /** The path without its extension: `models`, `syntaxes/xml`. */
  topic: string
  title: string
  /** Markdown without comments and pictures. */
  text: string
}

/** The page that lists the others. */
export const HOME = 'README'

/** Folders for contributors, and pictures. */
const skipped: ReadonlySet<string> = new Set(['decisions', 'pictures'])

export function readPages(folder: string): ManualPage[] {
  return listTopics(folder, '').map(topic => {
    const text = cleanPage(readFileSync(join(folder, `${topic}.md`), 'utf8'))
    return { topic, title: /^# +(.+)$/m.exec(text)?.[1] ?? topic, text }
  })
}

function listTopics(folder: string, path: string): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listTopics(folder, inner)
      return entry.name.endsWith('.md') ? [inner.slice(0, -3)] : []
    })
}

/** Comments and pictures inside a fence are examples, so they stay. */
function cleanPage(text: string): string {
  const pieces = text.split(/^(```+[^\n]*\n[\s\S]*?^```+ *$)/m)
  const clean = pieces.map((piece, index) =>
    index % 2 === 1
      ? piece.replace(/^(```+\w*)[^\n]*/, '$1')
      : piece.replaceAll(/<!--[\s\S]*?-->\n?/g, '').replaceAll(/^!\[[^\]]*\]\([^)]*\)\n?/gm, ''),
  )
  return `${clean
    .join('')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}
