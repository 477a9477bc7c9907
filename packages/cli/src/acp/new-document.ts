import { type McpServer, RequestError } from '@agentclientprotocol/sdk/unstable'
import { questionTool } from '@argot/core/stream/internal'

const tools = ['read_dir', 'read_file', 'glob', 'grep', 'find_and_replace', 'write_file', 'apply_patch']

export function newDocument(template: string | undefined, hasForms: boolean): string {
  if (template !== undefined) return template.endsWith('\n') ? template : `${template}\n`
  return [...tools, ...(hasForms ? [questionTool] : [])].map(name => `<tool name="${name}"/>\n`).join('')
}

/**
 * The client's MCP servers as tools of the document. Documents are readable text that gets shared, so a server that
 * needs variables or headers can't be declared there.
 */
export function declareServers(servers: readonly McpServer[]): string {
  return servers.map(server => `<tool mcp_server="${escapeAttribute(readServer(server))}"/>\n`).join('')
}

function readServer(server: McpServer): string {
  if ('type' in server && server.type !== undefined) {
    if (server.type !== 'http')
      throw refuse(server.name, `Argot doesn't support the ${server.type} transport for MCP servers.`)
    if (server.headers.length > 0)
      throw refuse(server.name, 'It needs headers. Declare it in a document, with a token from the environment.')
    if (!/^https?:\/\/\S+$/.test(server.url)) throw refuse(server.name, 'Its address must use http or https.')
    return server.url
  }
  if (server.env.length > 0)
    throw refuse(server.name, 'It needs environment variables. Set them for the process that starts Argot.')
  return `stdio:${[server.command, ...server.args].map(quote).join(' ')}`
}

function refuse(name: string, why: string): RequestError {
  return RequestError.invalidParams(
    undefined,
    `The MCP server ${JSON.stringify(name.slice(0, 64))} can't be used. ${why}`,
  )
}

/** Quotes a word for a document's command line, where quotes keep a word together. */
function quote(word: string): string {
  if (/[\n\r\0]/.test(word))
    throw RequestError.invalidParams(undefined, 'An argument of an MCP server contains a line break.')
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
