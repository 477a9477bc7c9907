import {
  InvalidResponseDataError,
  type LanguageModelV3,
  type LanguageModelV3StreamPart,
  type LanguageModelV3ToolCall,
} from '@ai-sdk/provider'
import { ArgotError } from 'argot'

/**
 * The same model with a stream that never ends silently. Either `finish` comes without an `error`, and the reply is
 * whole; or `error` comes, and after it at most a `finish`; or reading rejects, as it does when the connection breaks.
 */
export function requireFinish(language: LanguageModelV3): LanguageModelV3 {
  return {
    specificationVersion: language.specificationVersion,
    provider: language.provider,
    modelId: language.modelId,
    get supportedUrls() {
      return language.supportedUrls
    },
    doGenerate: options => language.doGenerate(options),
    async doStream(options) {
      const result = await language.doStream(options)
      const type = result.response?.headers?.['content-type']
      return { ...result, stream: result.stream.pipeThrough(new TransformStream(checkParts(type))) }
    },
  }
}

function checkParts(
  contentType: string | undefined,
): Transformer<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  let state: 'open' | 'failed' | 'finished' = 'open'
  // From the first call whose input is not whole: the packages complete such calls also when the reply was cut.
  const held: LanguageModelV3StreamPart[] = []
  return {
    transform(part, controller) {
      if (part.type === 'finish') {
        if (state === 'open' && !isWhole(part)) controller.enqueue({ type: 'error', error: cutReply(contentType) })
        else if (state === 'open') for (const one of held) controller.enqueue(one)
        state = state === 'open' && isWhole(part) ? 'finished' : 'failed'
        controller.enqueue(part)
      } else if (part.type === 'error') {
        state = 'failed'
        controller.enqueue(isCut(part.error) ? { type: 'error', error: cutReply(contentType) } : part)
      } else if (state === 'open') {
        if (held.length > 0 || (part.type === 'tool-call' && !hasWholeInput(part))) held.push(part)
        else controller.enqueue(part)
      }
    },
    flush(controller) {
      if (state === 'open') controller.enqueue({ type: 'error', error: cutReply(contentType) })
    },
  }
}

/** `other` without the provider's own word is what a package starts with, before the provider has given a reason. */
function isWhole({ finishReason }: Extract<LanguageModelV3StreamPart, { type: 'finish' }>): boolean {
  if (finishReason.unified === 'error') return false
  return finishReason.unified !== 'other' || finishReason.raw !== undefined
}

/** How the package of compatible servers says that no reason for the end came: an error about no data. */
function isCut(error: unknown): boolean {
  return InvalidResponseDataError.isInstance(error) && error.data === undefined
}

function hasWholeInput(call: LanguageModelV3ToolCall): boolean {
  try {
    JSON.parse(call.input)
    return true
  } catch {
    return false
  }
}

function cutReply(contentType: string | undefined): ArgotError {
  if (contentType === undefined || contentType.includes('text/event-stream')) {
    return new ArgotError('MODEL_STREAM_BROKEN', 'The reply of the model stopped before its end.')
  }
  const type = contentType.split(';', 1)[0]!.slice(0, 100)
  return new ArgotError('MODEL_BAD_REPLY', `The server answered with ${type} where a stream of events was expected.`)
}
