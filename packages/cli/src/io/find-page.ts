import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the page is: beside the bundle, or where the build of the repository puts it. */
export function findPage(): string | undefined {
  const places = ['./page', '../page', '../../../server/page'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find(place => existsSync(join(place, 'index.html')))
}
