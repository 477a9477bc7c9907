import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'

/** What a scripted model says in one step: parts, a text, or something that depends on what it was asked. */
export type ScriptedStep =
  | readonly LanguageModelV3StreamPart[]
  | string
  | ((options: LanguageModelV3CallOptions) => readonly LanguageModelV3StreamPart[] | string)

export interface ScriptedModel extends LanguageModelV3 {
  /** What it was asked, call by call. */
  readonly asked: LanguageModelV3CallOptions[]
}

export interface ScriptOptions {
  /** Called before each part is given out; what it returns is waited for. */
  before?: (part: LanguageModelV3StreamPart, step: number) => Promise<void> | void
}

/** A model of the AI SDK that says what it is told, step by step; behind the last step it repeats that one. */
export function scriptedModel(steps: readonly ScriptedStep[], { before }: ScriptOptions = {}): ScriptedModel {
  const asked: LanguageModelV3CallOptions[] = []
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'test',
    supportedUrls: {},
    asked,
    doGenerate: () => Promise.reject(new Error('A scripted model only streams.')),
    doStream(options) {
      const index = Math.min(asked.length, steps.length - 1)
      asked.push(options)
      const step = steps[index]!
      const said = typeof step === 'function' ? step(options) : step
      const parts = typeof said === 'string' ? [...text(said), finish()] : said
      let next = 0
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        async pull(controller) {
          const part = parts[next++]
          if (part === undefined) return controller.close()
          await before?.(part, index)
          controller.enqueue(part)
        },
      })
      return Promise.resolve({ stream })
    },
  }
}

/** A text in words. */
export function text(said: string, id = '0'): LanguageModelV3StreamPart[] {
  const words = said.match(/\S*\s*/g)?.filter(word => word !== '') ?? []
  return [
    { type: 'text-start', id },
    ...words.map(delta => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
  ]
}

/** A native call, its input in two pieces. */
export function call(toolCallId: string, toolName: string, input: unknown): LanguageModelV3StreamPart[] {
  const json = JSON.stringify(input)
  const half = Math.ceil(json.length / 2)
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: json.slice(0, half) },
    { type: 'tool-input-delta', id: toolCallId, delta: json.slice(half) },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input: json },
  ]
}

export function finish(
  unified: LanguageModelV3FinishReason['unified'] = 'stop',
  tokens = 10,
): LanguageModelV3StreamPart {
  const usage: LanguageModelV3Usage = {
    inputTokens: { total: tokens, noCache: tokens, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: tokens, text: tokens, reasoning: undefined },
  }
  return { type: 'finish', finishReason: { unified, raw: unified }, usage }
}
