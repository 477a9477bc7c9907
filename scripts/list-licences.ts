import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** The packages that became part of a bundle, each with its licence. `root` is where the paths of the metafiles begin. */
export function listLicences(metafiles: readonly Metafile[], root: string): string {
  const inputs = metafiles.flatMap(({ inputs: read }) => Object.keys(read))
  const folders = inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  return [...new Set(folders)]
    .sort()
    .map(folder => `${formatLicence(join(root, folder))}\n`)
    .join('\n')
}

function formatLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  return `${name} ${version} (${license ?? 'see its page'})\n\n${readLicenceText(folder)}`
}

function readLicenceText(folder: string): string {
  for (const file of ['LICENSE', 'LICENSE.md', 'LICENCE', 'license', 'LICENSE.txt']) {
    try {
      return readFileSync(join(folder, file), 'utf8').trim()
    } catch {
      // The next name.
    }
  }
  return 'The package holds no text of its licence.'
}
