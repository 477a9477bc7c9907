import type { DefaultTheme } from 'vitepress'

export interface Section {
  text: string
  pages: { text: string; page: string }[]
}

const menu: Record<string, Record<string, string>> = {
  'Start here': {
    'index.md': 'Contents',
    'why.md': 'Should you use Argot?',
    'getting-started.md': 'Write and run a document',
    'next-from-zero.md': 'Next from zero',
    'vite-from-zero.md': 'Vite from zero',
    'proxy.md': "Your local model's calls don't work?",
    'review-a-run.md': 'Review what a run did',
    'deploy.md': 'Deploy it',
    'troubleshooting.md': 'Troubleshooting',
    'recipes.md': 'Recipes',
    'faq.md': 'FAQ',
  },
  'Documents and the command': {
    'chatmd.md': 'ChatMD',
    'command.md': 'The command',
    'chat.md': 'Chat in the terminal',
    'tools.md': 'Tools',
    'apply-patch.md': 'apply_patch',
    'models.md': 'Models and keys',
    'mcp.md': 'MCP',
    'acp.md': 'Editors (ACP)',
    'editors.md': 'Syntax highlighting',
    'retention.md': 'Retention and trash',
    'versions.md': 'Versions of the format',
  },
  'Text tool calls': {
    'any-model.md': 'Tool calls for any model',
    'trial.md': 'argot trial',
    'syntaxes/index.md': 'Syntaxes',
    'dialects.md': 'How well dialects are read',
    'write-a-syntax.md': 'Write a syntax',
    'from-ai-sdk-tool-parser.md': 'From @ai-sdk-tool/parser',
    'playground.md': 'Playground',
  },
  'In your app': {
    'serve-it.md': 'An agent over HTTP',
    'more-than-one-turn.md': 'More than one turn',
    'typed-answers.md': 'Typed answers',
    'ai-sdk.md': 'AI SDK',
    'chunks.md': 'The chunk protocol',
    'describe-call.md': 'Calls in words',
    'types.md': 'Types',
    'errors.md': 'Errors',
  },
  React: {
    'react.md': 'Chat box and parts',
    'react/tool-card-in-your-app.md': 'Tool cards in your app',
  },
  Server: {
    'server.md': 'argot serve',
    'page.md': 'The page',
    'server-api.md': 'HTTP API',
    'server-in-an-app.md': 'In your app',
    'server-behind-a-proxy.md': 'Behind a proxy',
    'containers.md': 'Containers',
    'scale-out.md': 'Many machines',
    'stores.md': 'Stores',
  },
  'Safety and proof': {
    'approvals-and-trust.md': 'Approvals and trust',
    'security.md': 'Security',
    'performance.md': 'Performance',
    'seeds.md': 'Requirements and their tests',
  },
}

/** Pages that no section names come last in the section of their folder. */
const folders: Record<string, string> = { syntaxes: 'Text tool calls', react: 'React', decisions: 'Decisions' }

export function sections(pages: readonly string[]): Section[] {
  const named = new Set(Object.values(menu).flatMap(section => Object.keys(section)))
  const rest = pages.filter(page => !named.has(page))
  const stray = rest.find(page => folders[page.split('/')[0] as string] === undefined)
  if (stray !== undefined)
    throw new Error(`docs/${stray} is not in the menu. Add it to apps/site/.vitepress/sidebar.ts.`)
  return [...Object.keys(menu), 'Decisions'].map(text => ({
    text,
    pages: [
      ...Object.entries(menu[text] ?? {}).map(([page, title]) => ({ text: title, page })),
      ...rest
        .filter(page => folders[page.split('/')[0] as string] === text)
        .sort()
        .map(page => ({ text: readableName(page), page })),
    ],
  }))
}

export function sidebar(pages: readonly string[]): DefaultTheme.SidebarItem[] {
  return sections(pages).map(({ text, pages: items }, index) => ({
    text,
    collapsed: index > 1,
    items: items.map(item => ({ text: item.text, link: `/${item.page.replace(/(?:index)?\.md$/, '')}` })),
  }))
}

function readableName(page: string): string {
  const name = (page.split('/').pop() as string).replace(/\.md$/, '').replaceAll('-', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}
