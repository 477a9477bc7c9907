import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './bundle-command.ts'

// The part of `npm run build` that says what a browser loads before it shows the page, compressed, and fails where it is more
// than promised. Highlighting, Markdown and what else comes later is not part of it.
const folder = join(root, 'packages/server/page')
const atMost = 250_000
const waiting = namesIn(
  readFileSync(join(folder, 'index.html'), 'utf8'),
  /(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g,
)
const loaded = new Map<string, number>()
for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
  if (loaded.has(name)) continue
  const text = readFileSync(join(folder, name), 'utf8')
  loaded.set(name, gzipSync(text).length)
  if (!name.endsWith('.js')) continue
  for (const one of namesIn(text, /(?:^|[;}\s])(?:import|export)[^"'()]*["']\.\/([^"']+\.js)["']/g))
    waiting.push(`assets/${one}`)
}
const size = [...loaded.values()].reduce((sum, one) => sum + one, 0)
console.log(`The page: ${(size / 1000).toFixed(1)} kB of ${atMost / 1000} kB, in ${loaded.size} files`)
if (size > atMost) console.error('The page is larger than promised.')
process.exitCode = size > atMost ? 1 : 0

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name]) => name!)
}
