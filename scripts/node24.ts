import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const node = `node-${process.platform}-${process.arch}`
const packages = { [node]: '24', ai: '7.0.169', '@ai-sdk/react': '4.0.167' }

export interface Node24 {
  folder: string
  /** The path of the `node` program. */
  node: string
}

/**
 * Installs Node 24, `ai` 7 and `useChat` 4 into a temporary folder, once. They are too new for the Node version that
 * this repository supports. Ends the process if that fails.
 */
export function installNode24(): Node24 {
  const folder = join(tmpdir(), 'argot-node24')
  if (!Object.keys(packages).every(name => existsSync(join(folder, 'node_modules', name, 'package.json')))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
    const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...specs], {
      cwd: folder,
      stdio: 'inherit',
    })
    if (status !== 0) {
      console.error('Node 24 and `ai` 7 could not be installed.')
      process.exit(status ?? 1)
    }
  }
  return { folder, node: join(folder, 'node_modules', node, 'bin/node') }
}
