import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkChatMd, parseChatMd } from '@argot/core/chatmd'
import type { TreeNode } from '../../src/chatmd/reader/tree.ts'

const fixtures = new URL('../../../../fixtures/chatmd/', import.meta.url)

export interface GoodDocument {
  name: string
  source: string
}

/** The documents of the fixtures in which nothing is wrong. */
export function goodDocuments(): GoodDocument[] {
  return readdirSync(fileURLToPath(fixtures), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.chatmd'))
    .sort()
    .map(name => ({ name, source: readFileSync(new URL(name, fixtures), 'utf8') }))
    .filter(({ source }) => source !== '' && checkChatMd(source).length === 0)
}

export interface Deletion {
  kind: 'quote' | 'end of a tag' | 'RAW mark' | 'closing tag'
  at: number
  text: string
}

/** Each token that holds the structure of a document together, and can be lost. */
export function deletions(source: string): Deletion[] {
  const list: Deletion[] = []
  const walk = (nodes: readonly TreeNode[]): void => {
    for (const node of nodes) {
      if (node.type === 'raw') {
        list.push(
          { kind: 'RAW mark', at: node.start, text: 'RAW|' },
          { kind: 'RAW mark', at: node.end - 4, text: '|RAW' },
        )
      }
      if (node.type !== 'element') continue
      for (const { at, text } of tagTokens(source, node.start, node.openEnd)) {
        list.push({ kind: text.length === 1 && text !== '>' ? 'quote' : 'end of a tag', at, text })
      }
      walk(node.children)
      if (!node.selfClosing && node.end > node.closeStart) {
        list.push({ kind: 'closing tag', at: node.closeStart, text: source.slice(node.closeStart, node.end) })
        list.push({ kind: 'end of a tag', at: node.end - 1, text: '>' })
      }
    }
  }
  walk(parseChatMd(source).document.tree.children)
  return list
}

/** The quotes of an opening tag, and its end. */
function tagTokens(source: string, start: number, end: number): { at: number; text: string }[] {
  const tag = source.slice(start, end)
  const tokens: { at: number; text: string }[] = []
  for (const match of tag.matchAll(/<!--[\s\S]*?-->|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/g)) {
    if (match[0].startsWith('<')) continue
    tokens.push({ at: start + match.index, text: match[0][0]! })
    tokens.push({ at: start + match.index + match[0].length - 1, text: match[0][0]! })
  }
  tokens.push({ at: end - 1, text: '>' })
  if (tag.endsWith('/>')) tokens.push({ at: end - 2, text: '/>' })
  return tokens
}
