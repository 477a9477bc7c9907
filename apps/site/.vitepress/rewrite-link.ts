import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  repository: { url: string }
}
const repository = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** Links to a file outside `docs/` go to the repository. `page` is a path below `docs/`. */
export function rewriteLink(href: string, page: string): string {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [path = '', hash] = href.split('#')
  const target = normalize(join('docs', dirname(page), decodeURI(path)))
  if (target.startsWith('docs/') && target.endsWith('.md')) return href.replace(/(^|\/)README\.md/, '$1index.md')
  const kind = /\.\w+$/.test(target) ? 'blob' : 'tree'
  return `${repository}/${kind}/main/${target.replace(/\/$/, '')}${hash === undefined ? '' : `#${hash}`}`
}
