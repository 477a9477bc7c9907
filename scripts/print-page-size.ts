import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './bundle-command.ts'

// The part of `npm run build` that says what a browser loads before it shows a page, compressed, and fails where it is more
// than promised. Highlighting, Markdown and what else comes later is not part of it; the worker that reads is.
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

/** The compressed size of each file that the page loads first. */
function measureFiles(page: string): number[] {
  const waiting = namesIn(
    readFileSync(join(page, 'index.html'), 'utf8'),
    /(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g,
  )
  const loaded = new Map<string, number>()
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (loaded.has(name)) continue
    const text = readFileSync(join(page, name), 'utf8')
    loaded.set(name, gzipSync(text).length)
    if (!name.endsWith('.js')) continue
    for (const one of namesIn(text, /(?:^|[;}\s])(?:import|export)[^"'()]*["']\.\/([^"']+\.js)["']/g))
      waiting.push(`assets/${one}`)
    for (const one of namesIn(text, /["'`](?:\.\/|assets\/)?(worker-[\w-]+\.js)["'`]/g)) waiting.push(`assets/${one}`)
  }
  return [...loaded.values()]
}

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name]) => name!)
}
