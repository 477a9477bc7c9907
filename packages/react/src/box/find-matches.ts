import { isToolPart, type Message, type MessagePart } from 'argot'

/** A part in which a text was found. */
export interface Match {
  messageId: string
  index: number
}

/** So much of an input or output is searched. */
const searched = 1_000_000

/** Where a text occurs, whatever is on the page: in texts, and in the names, inputs and outputs of calls. */
export function findMatches(messages: readonly Message[], query: string): Match[] {
  const wanted = query.toLowerCase()
  if (wanted === '') return []
  return messages.flatMap(({ id: messageId, parts }) =>
    parts.flatMap((part, index) =>
      textsOf(part).some(text => text.toLowerCase().includes(wanted)) ? [{ messageId, index }] : [],
    ),
  )
}

function textsOf(part: MessagePart): string[] {
  if (isToolPart(part)) {
    const { toolName, title, input, output, errorText, approval } = part.toolInvocation
    return [toolName, title, errorText, approval?.reason, asText(input), asText(output)].filter(
      text => text !== undefined,
    )
  }
  if (part.type === 'text') return part.phase === 'remainder' ? [] : [part.text]
  if (part.type === 'reasoning') return [part.text]
  if (part.type === 'file') return [part.filename ?? '']
  return 'title' in part && typeof part.title === 'string' ? [part.title] : []
}

function asText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string') return value.slice(0, searched)
  try {
    return strings(value, []).join('\n').slice(0, searched)
  } catch {
    return undefined
  }
}

/** The keys and values of a JSON value, each as it reads. */
function strings(value: unknown, found: string[]): string[] {
  if (typeof value !== 'object' || value === null) found.push(String(value))
  else
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) found.push(key)
      strings(item, found)
    }
  return found
}
