import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { Model } from '@argot/agent'
import { onTestFinished } from 'vitest'
import type { ModelServer } from './servers/model-server.ts'

/** What a model call gave: its parts, and what was thrown before or while they came. */
export interface Collected {
  parts: LanguageModelV3StreamPart[]
  thrown?: unknown
}

/** Makes one call and reads all of it. */
export async function collect(model: Model, options: Partial<LanguageModelV3CallOptions> = {}): Promise<Collected> {
  const parts: LanguageModelV3StreamPart[] = []
  try {
    const { stream } = await model.language.doStream({ prompt: sayHello, ...model.settings({}), ...options })
    for await (const part of stream) parts.push(part)
    return { parts }
  } catch (thrown) {
    return { parts, thrown }
  }
}

/** The error of a call, however it came. */
export function findError({ parts, thrown }: Collected): unknown {
  return thrown ?? parts.find(part => part.type === 'error')?.error
}

/** A server that ends with the test. */
export async function during(server: Promise<ModelServer>): Promise<ModelServer> {
  const started = await server
  onTestFinished(() => started.close())
  return started
}

const sayHello: LanguageModelV3CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
