import { type ChatDocument, expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import type { ElementContent } from '../../src/chatmd/reader/content.ts'

/** Gives back what it was asked for, so that two documents that ask the same get the same. */
export const echo: Resolver = {
  async resolve({ kind, src, local, html, from }) {
    const file = `${from ?? ''}>${src}`
    if (kind === 'img') return { ok: true, url: `img:${src}:${local}`, mediaType: 'image/png', file }
    if (kind === 'meta') return { ok: true, text: '{}', file }
    if (kind === 'payload') return { ok: true, text: JSON.stringify({ src }), file }
    if (kind === 'import') return { ok: true, text: `[import ${src}]`, file }
    return { ok: true, text: `[${kind} ${src} ${local} ${html}]`, file }
  },
}

/** Everything that a document means, without any place in it. */
export async function meaning(source: string): Promise<string> {
  const { document } = parseChatMd(source)
  const { messages, config, tools } = await expand(document, {
    resolver: echo,
    async runAgent({ file, input }) {
      return { ok: true, text: `[agent ${file} ${JSON.stringify(input)}]` }
    },
  })
  return JSON.stringify(
    {
      messages: messages.map(one => [one.message, one.sent]),
      config: { ...config, node: undefined },
      tools: tools.map(tool => ({ ...tool, node: undefined })),
      entries: entriesOf(document),
      metaRefine: document.metaRefine,
    },
    null,
    1,
  )
}

function entriesOf(document: ChatDocument): unknown {
  return document.entries.map(entry => ({
    ...entry,
    node: { attributes: entry.node.attributes.map(({ name, value }) => [name, value]), name: entry.node.name },
    ...('content' in entry ? { content: contentOf(entry.content) } : {}),
    ...('payload' in entry ? { payload: { ...entry.payload, node: undefined } } : {}),
  }))
}

/** Adjacent text is one text, wherever it is cut. */
export function contentOf(content: readonly ElementContent[]): unknown[] {
  const result: unknown[] = []
  let text = ''
  const flush = () => {
    if (text !== '') result.push(text)
    text = ''
  }
  for (const piece of content) {
    if (piece.type === 'text') text += piece.text
    else {
      flush()
      const { node, content: inner, ...rest } = piece
      result.push({ ...rest, content: contentOf(inner) })
    }
  }
  flush()
  return result
}
