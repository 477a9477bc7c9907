import type { Message } from '@argot/core'
import { parseChatMd, writeChatMd } from '@argot/core/chatmd'
import { writeAttribute } from '@argot/core/chatmd/internal'

export interface DocumentDraft {
  /** The beginning of another document, which this one continues. */
  head: string
  model: string
  syntax: string
  tools: readonly string[]
  /** Command lines or addresses of MCP servers. */
  servers: readonly string[]
  system: string
}

/** The document in ChatMD. Typed text keeps its meaning: a prompt never declares a tool. */
export function composeDocument({ head, model, syntax, tools, servers, system }: DocumentDraft): string {
  const settings = [
    ...(model === '' ? [] : [writeAttribute('model', model)]),
    ...(syntax === '' ? [] : [writeAttribute('tool_syntax', syntax)]),
  ]
  const lines = [
    ...(head === '' ? [] : [head.trimEnd()]),
    ...(settings.length === 0 ? [] : [`<config ${settings.join(' ')}/>`]),
    ...tools.map(name => `<tool ${writeAttribute('name', name)}/>`),
    ...servers.map(toServer).map(server => `<tool ${writeAttribute('mcp_server', server)}/>`),
  ]
  const text = lines.map(line => `${line}\n`).join('')
  if (system.trim() === '') return text
  const prompt: Message = {
    id: 'system',
    role: 'system',
    status: 'sent',
    parts: [{ type: 'text', id: 'prompt', text: system.trim(), state: 'done' }],
  }
  const { append } = writeChatMd([{ type: 'message', message: prompt }], {
    payloads: 'inline',
    bookkeeping: 'apart',
    after: text,
  })
  return `${text}${append}`.trimStart()
}

/** Argot starts a command line without a shell, and connects to an address. */
function toServer(typed: string): string {
  const line = typed.trim()
  return /^(?:https?:\/\/|stdio:)/i.test(line) ? line : `stdio:${line}`
}

/** A document up to its first message: settings, tools, imports and system prompts. */
export function readHead(text: string, file: string): string {
  const { document } = parseChatMd(text, { file })
  const headTags = ['config', 'tool', 'system', 'developer', 'import']
  const first = document.tree.children.find(node => node.type === 'element' && !headTags.includes(node.name))
  return first === undefined ? text : text.slice(0, first.start).trimEnd().concat('\n')
}
