import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle-command.ts'

/** The published folders in `packages`, each after its dependencies. */
export const publishedFolders = ['core', 'agent', 'server', 'postgres', 'react', 'cli', 'create-argot'] as const

export interface PackageManifest {
  name: string
  version: string
  homepage?: string
  repository?: { type?: string; url?: string; directory?: string }
  bugs?: { url?: string }
  publishConfig?: { access?: string; provenance?: boolean }
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** Every published package repeats the addresses in the root's `package.json`. */
export type Addresses = Pick<PackageManifest, 'homepage' | 'repository' | 'bugs'>

export interface Release {
  addresses: Addresses
  manifests: ReadonlyMap<string, PackageManifest>
  changelog: string
}

export function readRelease(): Release {
  return {
    addresses: readManifest(root),
    manifests: new Map(publishedFolders.map(folder => [folder, readManifest(packageFolder(folder))])),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  }
}

/** Copies the root's addresses into every published package and the VS Code extension. */
export function writeAddresses(): void {
  const addresses = readManifest(root)
  for (const directory of [...publishedFolders.map(folder => `packages/${folder}`), 'editors/vscode']) {
    const manifest = { ...readManifest(join(root, directory)), ...expectedAddresses(addresses, directory) }
    writeFileSync(join(root, directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

/** `directory` is a path from the root, such as `packages/core`. */
export function expectedAddresses({ homepage, repository, bugs }: Addresses, directory: string): Addresses {
  return {
    ...(homepage !== undefined && { homepage }),
    repository: { ...repository, directory },
    ...(bugs !== undefined && { bugs }),
  }
}

export function packageFolder(folder: string): string {
  return join(root, 'packages', folder)
}

function readManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest
}
