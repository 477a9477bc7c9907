import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './bundle-command.ts'

// Part of `npm run build`: prints how much a browser loads before it shows a page, compressed, and fails if that
// exceeds the limit. Includes the worker that reads replies, but not what is loaded later, such as highlighting and
// Markdown.
const folder = join(root, 'packages/server/page')
const isSmall = [
  printSize('The page', folder, 250_000),
  printSize('The playground', join(folder, 'playground'), 215_000),
]
process.exitCode = isSmall.every(Boolean) ? 0 : 1

function printSize(name: string, page: string, atMost: number): boolean {
  const sizes = measureFiles(page)
  const size = sizes.reduce((sum, one) => sum + one, 0)
  console.log(`${name}: ${(size / 1000).toFixed(1)} kB of ${atMost / 1000} kB, in ${sizes.length} files`)
  if (size > atMost) console.error(`${name} is larger than promised.`)
  return size <= atMost
}

/** Follows static imports and workers, and compresses each file. */
function measureFiles(page: string): number[] {
  const queue = findNames(
    readFileSync(join(page, 'index.html'), 'utf8'),
    /(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g,
  )
  const loaded = new Map<string, number>()
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (loaded.has(name)) continue
    const text = readFileSync(join(page, name), 'utf8')
    loaded.set(name, gzipSync(text).length)
    if (!name.endsWith('.js')) continue
    for (const one of findNames(text, /(?:^|[;}\s])(?:import|export)[^"'()]*["']\.\/([^"']+\.js)["']/g))
      queue.push(`assets/${one}`)
    for (const one of findNames(text, /["'`](?:\.\/|assets\/)?(worker-[\w-]+\.js)["'`]/g)) queue.push(`assets/${one}`)
  }
  return [...loaded.values()]
}

function findNames(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name]) => name!)
}
