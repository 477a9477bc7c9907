import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle-command.ts'

// The part of `npm run build` that removes what an earlier build made of sources that have moved or gone: the compiler leaves
// it, and it would be packed. The chunks of the command are not made of one source each, and are cleared by their own build.
const made = /^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/

for (const name of ['core', 'agent', 'server', 'react', 'cli']) {
  const [dist, src] = ['dist', 'src'].map(folder => join(root, 'packages', name, folder)) as [string, string]
  if (!existsSync(dist)) continue
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const stem = made.exec(path)?.[1]
    if (stem === undefined || stem.startsWith('chunks') || stem.startsWith('page')) continue
    if (!['.ts', '.tsx'].some(end => existsSync(join(src, stem + end)))) rmSync(join(dist, path))
  }
}
