import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const site = join(root, 'apps/site/dist')
let files: string[]

// The script fails on a dead link, on a page that the menu lacks, and on anything loaded from another server.
beforeAll(() => {
  execFileSync('npm', ['run', '-s', 'docs'], {
    cwd: root,
    stdio: 'pipe',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  files = readdirSync(site, { recursive: true, encoding: 'utf8' })
})

function pagesIn(kind: 'html' | 'md'): string[] {
  return files
    .filter(file => file.endsWith(`.${kind}`) && !file.startsWith('try/') && file !== '404.html')
    .map(file => file.slice(0, -kind.length - 1))
    .sort()
}

test('every page of docs is on the site, with its Markdown beside it and in llms.txt', () => {
  const sources = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md'))
    .map(path => path.replace(/README\.md$/, 'index.md').slice(0, -3))
    .sort()
  expect(pagesIn('html')).toEqual(sources)
  expect(pagesIn('md')).toEqual(sources)
  const links = [...readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/\]\(\/([^)]+)\.md\)/g)].map(
    match => match[1],
  )
  expect(links.sort()).toEqual(sources)
})

test('the playground and the gallery are inside', () => {
  for (const program of ['playground', 'gallery']) {
    const page = readFileSync(join(site, 'try', program, 'index.html'), 'utf8')
    const addresses = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(match => match[1] as string)
    expect(addresses.length).toBeGreaterThan(1)
    for (const address of addresses) expect(existsSync(join(site, 'try', program, address)), address).toBe(true)
  }
})

test('links in the Markdown twins lead to pages of the site or to the repository', () => {
  const broken: string[] = []
  for (const page of pagesIn('md')) {
    const text = readFileSync(join(site, `${page}.md`), 'utf8').replace(/^```[\s\S]*?^```/gm, '')
    for (const [, href = ''] of text.matchAll(/(?<!!)\[[^\]]*\]\(([^)\s#]+)[^)]*\)/g)) {
      if (/^https?:/.test(href)) continue
      if (!existsSync(join(site, page, '..', href))) broken.push(`${page}: ${href}`)
    }
  }
  expect(broken).toEqual([])
})
