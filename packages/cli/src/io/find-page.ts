import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The page's folder: next to the bundle, or in the repository's build output. */
export function findPage(): string | undefined {
  const places = ['./page', '../page', '../../../server/page'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find(place => existsSync(join(place, 'index.html')))
}
