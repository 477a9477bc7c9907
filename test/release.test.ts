import { expect, test } from 'vitest'
import { type PackageManifest, readRelease } from '../scripts/published-packages.ts'
import { findMissingSteps, findPackageProblems } from '../scripts/release-problems.ts'

const release = readRelease()

function change(folder: string, part: Partial<PackageManifest>): string[] {
  const manifests = new Map(release.manifests)
  manifests.set(folder, { ...manifests.get(folder)!, ...part })
  return findPackageProblems({ ...release, manifests })
}

test('all packages have one version, the addresses of the root, and can be published', () => {
  expect(findPackageProblems(release)).toEqual([])
})

test('a package with another version is named, and so is every package that depends on it', () => {
  const problems = change('core', { version: '9.0.0' })
  expect(problems[0]).toMatch(/^The packages have different versions: 9\.0\.0, /)
  expect(problems).toContainEqual(
    expect.stringMatching(/^@argot\/agent depends on @argot\/core .* instead of \^9\.0\.0/),
  )
})

test.each<[string, Partial<PackageManifest>]>([
  ['addresses', { bugs: { url: 'https://other.example' } }],
  ['addresses', { repository: { ...release.addresses.repository, directory: 'packages/core' } }],
  ['publishConfig', { publishConfig: { access: 'restricted', provenance: true } }],
  ['publishConfig', { publishConfig: { access: 'public' } }],
])('a package with wrong %s is named', (what, part) => {
  expect(change('react', part)).toEqual([expect.stringMatching(new RegExp(`^@argot/react .*${what}`))])
})

test('a release waits for real addresses and a section in the changelog', () => {
  expect(findMissingSteps(release)).toContainEqual(expect.stringContaining('reserved addresses'))
  const { version } = release.manifests.get('core')!
  const addresses = { homepage: 'https://a.test', repository: { url: 'git+https://a.test/a.git' }, bugs: {} }
  const ready = { ...release, addresses, changelog: `# Changelog\n\n## ${version} (2027-01-01)\n` }
  expect(findMissingSteps(ready)).toEqual([])
  expect(findMissingSteps({ ...ready, changelog: `## ${version}0\n` })).toEqual([
    `CHANGELOG.md has no section for ${version}. Rename "## Unreleased".`,
  ])
})
