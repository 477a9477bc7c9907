import { isDeepStrictEqual } from 'node:util'
import { expectedAddresses, type Release } from './published-packages.ts'

/** Problems with the packages, one sentence each. They stop a dry run, too. */
export function findPackageProblems({ addresses, manifests }: Release): string[] {
  const problems: string[] = []
  const versions = new Set([...manifests.values()].map(({ version }) => version))
  if (versions.size > 1) problems.push(`The packages have different versions: ${[...versions].join(', ')}.`)
  const versionsByName = new Map([...manifests.values()].map(({ name, version }) => [name, version]))
  for (const [folder, manifest] of manifests) {
    const { homepage, repository, bugs, publishConfig } = manifest
    if (!isDeepStrictEqual({ homepage, repository, bugs }, expectedAddresses(addresses, `packages/${folder}`))) {
      problems.push(`${manifest.name} has other addresses than the root. Run \`npm run release -- --addresses\`.`)
    }
    if (publishConfig?.access !== 'public' || publishConfig.provenance !== true) {
      problems.push(`${manifest.name} needs "publishConfig": { "access": "public", "provenance": true }.`)
    }
    const ranges = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies }
    for (const [name, range] of Object.entries(ranges)) {
      const version = versionsByName.get(name)
      if (version !== undefined && range !== `^${version}`) {
        problems.push(`${manifest.name} depends on ${name} ${range} instead of ^${version}.`)
      }
    }
  }
  return problems
}

/** What a maintainer must do before a real release, one sentence each. */
export function findMissingSteps({ addresses, manifests, changelog }: Release): string[] {
  const steps: string[] = []
  if (JSON.stringify([addresses.homepage, addresses.repository, addresses.bugs]).includes('.example')) {
    steps.push(
      'homepage, repository and bugs in package.json are reserved addresses. Fill them in, then run `npm run release -- --addresses`.',
    )
  }
  const version = [...manifests.values()][0]?.version ?? ''
  if (!changelog.split('\n').some(line => line === `## ${version}` || line.startsWith(`## ${version} `))) {
    steps.push(`CHANGELOG.md has no section for ${version}. Rename "## Unreleased".`)
  }
  return steps
}
