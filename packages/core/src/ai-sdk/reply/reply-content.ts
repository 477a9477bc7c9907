import type { LanguageModelV3Content, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { defined } from '../../source/defined.ts'
import { mergeMetadata } from './merge-metadata.ts'

type Prose = Extract<LanguageModelV3Content, { type: 'text' | 'reasoning' }>

export function* contentParts(content: readonly LanguageModelV3Content[]): Generator<LanguageModelV3StreamPart> {
  for (const [index, part] of content.entries()) {
    if (part.type !== 'text' && part.type !== 'reasoning') {
      yield part
      continue
    }
    const { type, text, providerMetadata } = part
    const id = String(index)
    yield { type: `${type}-start`, id, ...defined({ providerMetadata }) }
    yield { type: `${type}-delta`, id, delta: text }
    yield { type: `${type}-end`, id }
  }
}

/** A complete reply doesn't have these parts. Unknown parts are content, in any version. */
const onlyStreamed: ReadonlySet<string> = new Set([
  'stream-start',
  'response-metadata',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
  'finish',
  'error',
  'raw',
  'ping',
])

export function replyContent(parts: Iterable<LanguageModelV3StreamPart>): LanguageModelV3Content[] {
  const content: LanguageModelV3Content[] = []
  const open = new Map<string, Prose>()
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const prose: Prose = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' }
        content.push(prose)
        open.set(part.id, prose)
        addMetadata(prose, part)
        break
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const prose = open.get(part.id)
        if (prose === undefined) break
        if ('delta' in part) prose.text += part.delta
        addMetadata(prose, part)
        break
      }
      default:
        if (!onlyStreamed.has(part.type)) content.push(part as LanguageModelV3Content)
    }
  }
  return content
}

function addMetadata(prose: Prose, { providerMetadata }: Pick<Prose, 'providerMetadata'>): void {
  const merged = mergeMetadata(prose.providerMetadata, providerMetadata)
  if (merged !== undefined) prose.providerMetadata = merged as NonNullable<Prose['providerMetadata']>
}
