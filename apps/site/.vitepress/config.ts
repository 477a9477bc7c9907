import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { adaptMarkdown } from './adapt-markdown.ts'
import { sidebar } from './sidebar.ts'
import { writeMarkdownTwins } from './write-markdown-twins.ts'

const docs = fileURLToPath(new URL('../../../docs', import.meta.url))
const rewrites: Record<string, string> = { 'README.md': 'index.md', 'syntaxes/README.md': 'syntaxes/index.md' }
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.md'))
  .map(path => rewrites[path] ?? path)
const chatmd = JSON.parse(
  readFileSync(new URL('../../../editors/vscode/syntaxes/chatmd.tmLanguage.json', import.meta.url), 'utf8'),
)

/** The pages are `docs/`, unchanged. This folder adds a menu, search, the look, and a Markdown file for each page. */
export default defineConfig({
  title: 'Argot',
  description:
    'Argot reads LLM tool calls in any syntax, runs them with approvals in a sandbox, shows them, and keeps the conversation as a file.',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '../../docs',
  outDir: 'dist',
  cacheDir: '../../node_modules/.cache/vitepress',
  rewrites,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { languages: [chatmd], config: adaptMarkdown },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(pages),
    outline: [2, 3],
    nav: [
      { text: 'Docs', link: '/' },
      // Programs beside the site, not pages of it: the browser loads them itself.
      { text: 'Playground', link: '/try/playground/index.html', target: '_self' },
      { text: 'Gallery', link: '/try/gallery/index.html', target: '_self' },
    ],
  },
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  buildEnd: writeMarkdownTwins,
})
