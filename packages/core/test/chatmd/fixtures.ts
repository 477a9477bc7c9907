import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Diagnostic } from '@argot/core'
import { checkChatMd, expand, formatChatMd, parseChatMd, type Resolver } from '@argot/core/chatmd'
import type { ExpandedPiece } from '../../src/chatmd/expand/expanded.ts'

export const root: string = fileURLToPath(new URL('../../../../fixtures/chatmd', import.meta.url))

export interface Fixture {
  name: string
  file: string
  source: string
}

/** Every document under `fixtures/chatmd`. */
export const fixtures: Fixture[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.chatmd'))
  .sort()
  .map(path => ({
    name: path.replace(/\.chatmd$/, ''),
    file: join(root, path),
    source: readFileSync(join(root, path), 'utf8'),
  }))

/** Reads imports and agents from the fixtures; what is not there is made up from the request. */
export const fixtureResolver: Resolver = {
  async resolve({ kind, src, local, html, from }) {
    const file = local ? join(dirname(from ?? root), src) : src
    const shown = local ? relative(root, file) : src
    if (kind === 'img')
      return { ok: true, url: local ? `data:image/png;base64,${shown}` : src, mediaType: 'image/png', file }
    if (existsSync(file)) return { ok: true, text: readFileSync(file, 'utf8'), file }
    if (kind === 'payload') return { ok: true, text: JSON.stringify({ read: shown }), file }
    if (kind === 'meta') return { ok: true, text: '{"meta":{"openai":{"itemId":"x"}},"argot":{"details":[1]}}', file }
    if (shown.endsWith('none.part'))
      return { ok: false, problem: { code: 'CHATMD_NOT_RESOLVED', message: `\`${shown}\` does not exist.` } }
    return { ok: true, text: `[${kind} ${shown} ${html}]`, file }
  },
}

/** All that a document means to a reader, as plain data. */
export async function describeFixture({ source, file }: Fixture): Promise<unknown> {
  const { document } = parseChatMd(source, { file })
  const expanded = await expand(document, {
    resolver: fixtureResolver,
    async runAgent({ file: agent, input }) {
      return { ok: true, text: `[agent ${relative(root, agent)} given ${JSON.stringify(input)}]` }
    },
  })
  const formatted = formatChatMd(source)
  const { node: _, ...config } = expanded.config ?? { node: undefined }
  return {
    diagnostics: checkChatMd(source).map(line),
    ...(expanded.diagnostics.length > 0 ? { expansion: expanded.diagnostics.map(line) } : {}),
    ...(expanded.config === undefined ? {} : { config }),
    ...(document.metaRefine ? { metaRefine: true } : {}),
    ...(document.tree.cutAt === undefined ? {} : { cutAt: document.tree.cutAt }),
    tools: expanded.tools.map(({ node, file: declared, ...tool }) => tool),
    messages: expanded.messages.map(({ message, pieces, sent }) => ({
      ...message,
      ...(sent ? {} : { sent }),
      pieces: pieces.map(pieceLine),
    })),
    ...(formatted === source ? {} : { formatted }),
  }
}

function line({ severity, code, message, cure, range, file }: Diagnostic): string {
  const place = `${range!.start.line}:${range!.start.column}-${range!.end.line}:${range!.end.column}`
  const where = file === undefined ? place : `${relative(root, file)} ${place}`
  return `${where} ${severity} ${code}: ${message} ${cure ?? ''}`.replaceAll(`${root}/`, '')
}

function pieceLine(piece: ExpandedPiece): string {
  const { by, start, end, source, imports, file } = piece.origin
  const via = imports.map(one => relative(root, one)).join(' > ')
  const what = piece.type === 'text' ? JSON.stringify(piece.text) : piece.url
  const origin = `${by} ${file === undefined ? '' : relative(root, file)}@${start}-${end}`
  const from = source === undefined ? '' : ` from ${source.startsWith('/') ? relative(root, source) : source}`
  return `${origin}${from}${via === '' ? '' : ` via ${via}`}: ${what}`
}
