import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../guards/workspace.ts'

/** What a project that `npm create vite` makes brings, and what runs and checks the blocks. */
const template = ['react', 'react-dom', 'typescript', 'vite', '@vitejs/plugin-react']
const types = ['@types/node', '@types/react', '@types/react-dom']

/**
 * Packs the packages by the line of the README, and unpacks them in a project that has nothing else but `others`. These and
 * the dependencies of the packages are links: `pack.test.ts` tries what npm makes of the same files.
 */
export function createPackedProject(place: string, others: readonly string[]): string {
  const project = join(place, 'project')
  const modules = join(project, 'node_modules')
  mkdirSync(modules, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "name": "mine", "private": true, "type": "module" }\n')
  const packed = unpack(packAll(place), modules)
  const dependencies = packed.flatMap(name => [...dependencyNames(join(modules, name))])
  const wanted = new Set([...template, ...types, ...others, ...dependencies].filter(name => !packed.includes(name)))
  for (const name of wanted) link(name, modules)
  mkdirSync(join(modules, '.bin'))
  for (const [name, file] of commands) symlinkSync(join(modules, file), join(modules, '.bin', name))
  return project
}

const commands = [
  ['argot', '@argot/cli/dist/bin.js'],
  ['tsc', 'typescript/bin/tsc'],
  ['vite', 'vite/bin/vite.js'],
] as const

/** The line with `npm pack`, which docs/command.md repeats, in a shell whose home is `place`; gives the folder that it fills. */
function packAll(place: string): string {
  const line = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n')
    .find(one => one.startsWith('npm pack --pack-destination '))
  const destination = join(place, 'argot')
  mkdirSync(destination)
  // npm has its settings and its cache in the home of the developer.
  execFileSync('bash', ['-c', line!.replaceAll('~', place)], { cwd: root, stdio: 'pipe', timeout: 120_000 })
  return destination
}

function unpack(folder: string, modules: string): string[] {
  const files = readdirSync(folder).filter(file => file.startsWith('argot-'))
  return files.map(file => {
    const name = file.replace(/^argot-(\w+)-.*$/, '@argot/$1')
    const target = join(modules, name)
    mkdirSync(target, { recursive: true })
    execFileSync('tar', ['-xzf', join(folder, file), '-C', target, '--strip-components=1'])
    return name
  })
}

function dependencyNames(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  return Object.keys(dependencies)
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
}
