import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, publishedFolders } from './published-packages.ts'

// Part of `npm run build`: removes the output of sources that were moved or deleted. The compiler leaves it, and it
// would be packed. The command's chunks have no single source; their own build removes them.
const outputPattern = /^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/

for (const name of publishedFolders) {
  const [dist, src] = ['dist', 'src'].map(folder => join(packageFolder(name), folder)) as [string, string]
  if (!existsSync(dist)) continue
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const stem = outputPattern.exec(path)?.[1]
    if (stem === undefined || stem.startsWith('chunks') || stem.startsWith('page')) continue
    if (!['.ts', '.tsx'].some(end => existsSync(join(src, stem + end)))) rmSync(join(dist, path))
  }
}
