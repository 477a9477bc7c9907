import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TemplateName } from './templates.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

/** Its message is shown to the user without a stack. */
export class CreateError extends Error {}

/**
 * Writes the template into `folder`, which must be empty or missing. `packages` is a folder with packed packages to install
 * instead of those from npm.
 */
export function createProject(folder: string, template: TemplateName, packages?: string): void {
  const target = resolve(folder)
  if (existsSync(target) && !isEmpty(target)) {
    throw new CreateError(`${folder} is not empty. Choose another folder, or empty it first.`)
  }
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const path = join(target, 'package.json')
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'templates', template, 'package.json'), 'utf8')) as {
    name: string
    dependencies: Record<string, string>
  }
  manifest.name = toPackageName(basename(target))
  for (const dependency of Object.keys(manifest.dependencies)) {
    if (!dependency.startsWith('@argot/')) continue
    const file = packages === undefined ? undefined : findTarball(packages, dependency, version)
    manifest.dependencies[dependency] = file === undefined ? `^${version}` : `file:${file}`
  }
  mkdirSync(target, { recursive: true })
  cpSync(join(packageFolder, 'templates', template), target, { recursive: true })
  // All templates have the same agent. It has no types, so the plain server has it as JavaScript.
  cpSync(join(packageFolder, 'templates', 'agent.ts'), join(target, template === 'server' ? 'agent.js' : 'agent.ts'))
  // npm leaves files called .gitignore out of packages.
  renameSync(join(target, 'gitignore'), join(target, '.gitignore'))
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

function findTarball(folder: string, name: string, version: string): string {
  const file = resolve(folder, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
  if (!existsSync(file)) throw new CreateError(`${file} is missing. Pack the packages into ${folder} first.`)
  return file
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).every(name => name === '.git')
  } catch {
    throw new CreateError(`${folder} is not a folder.`)
  }
}

/** npm's rules: lower case, no spaces, no leading dot or underscore, at most 214 characters. */
export function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[-._~]+|-+$/g, '')
    .slice(0, 214)
  return name === '' ? 'argot-app' : name
}
