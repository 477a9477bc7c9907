import {
  argotMetadata,
  type Chunk,
  type ToolInputAvailable,
  type ToolInputError,
  withArgotMetadata,
} from '../../stream/chunk.ts'

export type ReplyCut = 'length' | 'content-filter' | 'broken'

const cutErrors: Record<ReplyCut, string> = {
  length:
    'The answer reached the token limit within this call or right after it, so its input may be incomplete and it was not run. Write less before the call, and split a long value into several calls.',
  'content-filter':
    'The provider filtered the answer within this call or right after it, so its input may be incomplete and it was not run.',
  broken:
    'The reply was cut off within this call or right after it, so its input may be incomplete and it was not run. Write the call again, with less text before it; split a long value into several calls.',
}

export function cutErrorText(cut: ReplyCut): string {
  return cutErrors[cut]
}

export function refuseCut(chunk: ToolInputAvailable | ToolInputError, cut: ReplyCut): ToolInputError {
  return {
    ...chunk,
    type: 'tool-input-error',
    errorText: cutErrorText(cut),
    providerMetadata: withArgotMetadata(chunk.providerMetadata, { code: 'SYNTAX_UNCLOSED_CALL' }),
  }
}

/**
 * If calls end with the text, a complete one looks like one that was cut. And whatever is wrong with the last call of a
 * cut text, the model has to know about the cut.
 */
export function refuseCutCalls(chunks: readonly Chunk[], cut: ReplyCut): Chunk[] {
  const last = chunks.findLastIndex(({ type }) => type === 'tool-input-error' || type === 'tool-input-available')
  return chunks.map((chunk, index) => {
    if (chunk.type === 'tool-input-available') return refuseCut(chunk, cut)
    return chunk.type === 'tool-input-error' && index === last && cut !== 'broken' ? refuseCut(chunk, cut) : chunk
  })
}

/** A server doesn't say that it stopped at a word of the syntax, so the error of a call that ends there explains it. */
export function explainStop(chunk: Chunk, stop: readonly string[] = []): Chunk {
  const code = argotMetadata(chunk)?.code
  if (chunk.type !== 'tool-input-error' || stop.length === 0 || !String(code).startsWith('SYNTAX_UNCLOSED'))
    return chunk
  const words = stop.map(word => JSON.stringify(word.trim())).join(' or ')
  const errorText = `${chunk.errorText}\nA reply ends where ${words} is written, so no value can contain that.`
  return { ...chunk, errorText }
}
