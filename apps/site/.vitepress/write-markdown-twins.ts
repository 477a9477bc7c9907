import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SiteConfig } from 'vitepress'
import { rewriteLink } from './rewrite-link.ts'
import { type Section, sections } from './sidebar.ts'

/** Writes each page's Markdown next to its HTML, and `llms.txt`, which lists them. */
export function writeMarkdownTwins(site: SiteConfig): void {
  const summaries = new Map<string, string>()
  for (const source of site.pages) {
    const page = site.rewrites.map[source] ?? source
    const markdown = readFileSync(join(site.srcDir, source), 'utf8')
    const twin = join(site.outDir, page)
    mkdirSync(dirname(twin), { recursive: true })
    writeFileSync(twin, adaptLinks(markdown, source))
    summaries.set(page, summarize(markdown))
  }
  const base = site.site.base
  const list = sections(site.pages.map(source => site.rewrites.map[source] ?? source))
    .map(section => formatSection(section, base, summaries))
    .join('\n')
  writeFileSync(join(site.outDir, 'llms.txt'), `# Argot\n\n> ${site.site.description}\n\n${list}`)
}

function formatSection({ text, pages }: Section, base: string, summaries: ReadonlyMap<string, string>): string {
  const lines = pages.map(({ text, page }) => {
    const summary = summaries.get(page) ?? ''
    return `- [${text}](${base}${page})${summary === '' ? '' : `: ${summary}`}\n`
  })
  return `## ${text}\n\n${lines.join('')}`
}

/** The first sentence of the first paragraph. */
function summarize(markdown: string): string {
  const paragraph = withoutComments(markdown)
    .split(/\n\s*\n/)
    .map(block => block.trim())
    .find(block => /^[\w`*[]/.test(block))
  const text = (paragraph ?? '').replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.!?:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? ''
}

function withoutComments(markdown: string): string {
  return markdown.replace(/<!--[\s\S]*?-->/g, '')
}

/** Code keeps its brackets: only the text between fences has links. */
function adaptLinks(markdown: string, page: string): string {
  return markdown
    .split(/(^```[\s\S]*?^```)/m)
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replace(/\]\(([^)\s]+)\)/g, (_, href) => `](${rewriteLink(href, page)})`),
    )
    .join('')
}
