import type { CallToolResult } from '@modelcontextprotocol/client'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { ToolOutcome } from '../tool.ts'

type McpContent = CallToolResult['content'][number]

type OutputPart = { type: 'text'; text: string } | { type: 'file-data'; data: string; mediaType: string }

/**
 * The outcome of an MCP tool: text as text, together with images and audio if there are any; structured content as JSON
 * if there is nothing else. Throws a `ToolFailure` if the result is an error.
 */
export function toOutcome(result: CallToolResult, tool: string): ToolOutcome {
  const { content = [], structuredContent, isError } = result
  const pieces = content.map(toPiece)
  const text = pieces.flatMap(piece => (piece.type === 'text' ? [piece.text] : [])).join('\n')
  if (isError === true) throw new ToolFailure('TOOL_FAILED', text || `\`${tool}\` failed without saying why.`)
  if (pieces.some(piece => piece.type !== 'text')) return { output: { type: 'content', value: pieces } }
  // Servers repeat structured content as text for clients that only support text. Prefer the structure.
  if (structuredContent !== undefined) return { output: structuredContent }
  return { output: text === '' ? 'Done.' : text }
}

function toPiece(content: McpContent): OutputPart {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text }
    case 'image':
    case 'audio':
      return { type: 'file-data', data: content.data, mediaType: content.mimeType }
    case 'resource_link':
      return { type: 'text', text: `[${content.name}](${content.uri})` }
    case 'resource': {
      const { resource } = content
      if ('text' in resource) return { type: 'text', text: resource.text }
      const mediaType = resource.mimeType ?? 'application/octet-stream'
      return { type: 'file-data', data: resource.blob, mediaType }
    }
  }
}
