import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { root } from './bundle-command.ts'

// `npm run docs` builds the documentation site into apps/site/dist; `npm run docs:show` serves it.

const site = join(root, 'apps/site/dist')

run('vitepress', 'build', 'apps/site')
for (const app of ['playground', 'gallery']) {
  run('vite', 'build', `apps/${app}`, '--logLevel', 'warn', '--outDir', join(site, 'try', app), '--emptyOutDir')
}
const files = readdirSync(site, { recursive: true, encoding: 'utf8' })
const loads = files.flatMap(file => findExternalLoads(file).map(address => `${file} loads ${address}`))
if (loads.length > 0) throw new Error(`The site must not load anything from other servers:\n${loads.join('\n')}`)
const pages = files.filter(file => file.endsWith('.md')).length
console.log(`apps/site/dist: ${pages} pages, each with its Markdown, and llms.txt. npm run docs:show serves it.`)

function run(program: string, ...args: string[]): void {
  execFileSync(join(root, 'node_modules/.bin', program), args, { cwd: root, stdio: 'inherit' })
}

/** Addresses that a browser fetches without a click. */
function findExternalLoads(file: string): string[] {
  const kind = extname(file)
  if (kind !== '.html' && kind !== '.css') return []
  const text = readFileSync(join(site, file), 'utf8')
  const pattern =
    kind === '.css'
      ? /(?:@import\s*|url\(\s*)["']?((?:https?:)?\/\/[^"')\s]+)/g
      : /<(?:script|img|iframe|source|video|link)\b[^>]*?\b(?:src|srcset|href)="((?:https?:)?\/\/[^"]+)"/g
  return [...text.matchAll(pattern)].map(match => match[1] as string)
}
