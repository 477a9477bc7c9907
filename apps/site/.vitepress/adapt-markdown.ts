import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'
import { rewriteLink } from './rewrite-link.ts'

const docs = fileURLToPath(new URL('../../../docs', import.meta.url))

/**
 * Links that leave `docs/` go to the repository, and links named after a file show the page's title. Tags in a sentence
 * and `{{ }}` in code are text, as GitHub shows them.
 */
export function adaptMarkdown(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('argot', state => {
    const page = (state.env as { relativePath: string }).relativePath
    for (const block of state.tokens) {
      const tokens = block.children ?? []
      for (const [index, token] of tokens.entries()) {
        if (token.type === 'html_inline' && /^<\/?[a-z]/i.test(token.content)) token.type = 'text'
        if (token.type === 'code_inline') token.attrSet('v-pre', '')
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href === null) continue
        token.attrSet('href', rewriteLink(href, page))
        const text = tokens[index + 1]
        if (text?.type === 'text' && /^[\w./-]+\.md$/.test(text.content))
          text.content = readTitle(page, href) ?? text.content
      }
    }
  })
}

function readTitle(page: string, href: string): string | undefined {
  const path = join(docs, dirname(page), href.replace(/#.*/, ''))
  return /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.replaceAll('`', '')
}
