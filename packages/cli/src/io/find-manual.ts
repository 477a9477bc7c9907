import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The documentation's folder: next to the bundle, or in the repository. */
export function findManual(): string | undefined {
  const places = ['./manual', '../manual', '../../../../docs'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find(place => existsSync(join(place, 'command.md')))
}
