import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const node = `node-${process.platform}-${process.arch}`
const packages = { [node]: '24', ai: '7.0.169', '@ai-sdk/react': '4.0.167' }

/** Where Node 24 and `ai` 7 are. */
export interface Node24 {
  folder: string
  /** The program. */
  node: string
}

/**
 * Puts Node 24, `ai` 7 and `useChat` 4 into a temporary folder, once: they are too new for the Node that this repository
 * promises. Ends the process where that fails.
 */
export function installNode24(): Node24 {
  const folder = join(tmpdir(), 'argot-node24')
  if (!Object.keys(packages).every(name => existsSync(join(folder, 'node_modules', name, 'package.json')))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
    const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...wanted], {
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
