import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk/unstable'
import { type Message, userMessage } from '@argot/core'

type PromptFile = Parameters<typeof userMessage>[1] extends readonly (infer File)[] | undefined ? File : never

/** Converts a prompt to a message. Throws on a block that a message can't hold. */
export function readPrompt(blocks: readonly ContentBlock[]): Message {
  const texts: string[] = []
  const files: PromptFile[] = []
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        texts.push(block.text)
        break
      case 'image':
        files.push({ mediaType: block.mimeType, url: `data:${block.mimeType};base64,${block.data}` })
        break
      case 'resource_link':
        texts.push(`[${block.name.replace(/[[\]]/g, '')}](${block.uri})`)
        break
      case 'resource': {
        const { resource } = block
        if ('text' in resource) texts.push(quoteFile(resource.uri, resource.text))
        else files.push(readBlob(resource))
        break
      }
      default:
        throw RequestError.invalidParams(undefined, `Argot doesn't accept ${block.type} content in a prompt.`)
    }
  }
  const text = texts.join('\n\n')
  if (text.trim() === '' && files.length === 0) throw RequestError.invalidParams(undefined, 'The prompt is empty.')
  return userMessage(text, files)
}

function readBlob({ uri, blob, mimeType }: { uri: string; blob: string; mimeType?: string | null }): PromptFile {
  const mediaType = mimeType ?? 'application/octet-stream'
  const filename = uri.split('/').at(-1)
  return { mediaType, url: `data:${mediaType};base64,${blob}`, filename }
}

/** Puts a file's text in a fence that the text can't close. */
function quoteFile(uri: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${uri}\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}
