import { isToolPart, type Message, type MessagePart, type ToolInvocation } from '@argot/core'

export interface Match {
  messageId: string
  index: number
  /** Where in a call the match is, so that cut content can be shown. */
  sections: readonly ('input' | 'output')[]
}

/** In characters, for each input and output. */
const MOST_SEARCHED = 20_000_000

/** Where a text occurs, on the page or not: in texts, and in the names, inputs and outputs of calls. */
export function findMatches(messages: readonly Message[], query: string): Match[] {
  if (query === '') return []
  // Without a lower-case copy: an output may have megabytes.
  const pattern = new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu')
  const has = (text: string | undefined): boolean => text !== undefined && pattern.test(text)
  return messages.flatMap(({ id: messageId, parts }) =>
    parts.flatMap((part, index) => {
      const sections = isToolPart(part) ? sectionsWith(part.toolInvocation, has) : []
      return sections.length > 0 || getTexts(part).some(has) ? [{ messageId, index, sections }] : []
    }),
  )
}

function sectionsWith(
  { input, output, errorText }: ToolInvocation,
  has: (text: string | undefined) => boolean,
): ('input' | 'output')[] {
  return [
    ...(has(asText(input)) ? ['input' as const] : []),
    ...(has(asText(output)) || has(errorText) ? ['output' as const] : []),
  ]
}

function getTexts(part: MessagePart): (string | undefined)[] {
  if (isToolPart(part)) {
    const { toolName, title, approval } = part.toolInvocation
    return [toolName, title, approval?.reason]
  }
  if (part.type === 'text') return part.phase === 'remainder' ? [] : [part.text]
  if (part.type === 'reasoning') return [part.text]
  if (part.type === 'file') return [part.filename ?? '']
  return 'title' in part && typeof part.title === 'string' ? [part.title] : []
}

function asText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string') return value.slice(0, MOST_SEARCHED)
  try {
    return collectTexts(value, []).join('\n').slice(0, MOST_SEARCHED)
  } catch {
    return undefined
  }
}

function collectTexts(value: unknown, texts: string[]): string[] {
  if (typeof value !== 'object' || value === null) texts.push(String(value))
  else
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) texts.push(key)
      collectTexts(item, texts)
    }
  return texts
}
