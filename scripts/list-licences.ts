import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** The packages in a bundle, each with its licence. The paths in the metafiles are relative to `root`. */
export function listLicences(metafiles: readonly Metafile[], root: string): string {
  const inputs = metafiles.flatMap(({ inputs: bundled }) => Object.keys(bundled))
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
      // Try the next name.
    }
  }
  return 'The package holds no text of its licence.'
}
