import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { xml } from '@argot/core/syntax'

/** In which words the model calls a tool; `peer-xml` are the tags of `@ai-sdk-tool/parser`. */
export type Wording = 'native' | 'xml' | 'peer-xml'

/** Something that a model does in a run: so many texts or calls. */
export interface AgentCase {
  name: string
  /** What is counted: `delta` or `call`. */
  unit: string
  /** What the model says, step by step. */
  steps(size: number, wording: Wording): readonly (readonly LanguageModelV3StreamPart[])[]
  /** The syntaxes whose messages hold so many calls. */
  wordings: readonly ('native' | 'xml')[]
  /** A run of a document takes the limit of calls from the syntax: `xml` has one call to a message. */
  documents: readonly ('native' | 'xml')[]
}

export const textDeltas: AgentCase = {
  name: 'text in one step',
  unit: 'delta',
  steps: size => [[...text(Array.from({ length: size }, () => 'sixteen letters.')), finish('stop')]],
  wordings: ['native', 'xml'],
  documents: ['native', 'xml'],
}

export const callsInOneStep: AgentCase = {
  name: 'calls in one step',
  unit: 'call',
  steps: (size, wording) => [calls(0, size, wording), last],
  wordings: ['native', 'xml'],
  documents: ['native'],
}

export const callsInSteps: AgentCase = {
  name: 'one call in each step',
  unit: 'call',
  steps: (size, wording) => [...Array.from({ length: size }, (_, n) => calls(n, 1, wording)), last],
  wordings: ['native', 'xml'],
  documents: ['native', 'xml'],
}

/** A model that says what is prepared, one part for each time it is asked for one. */
export function preparedModel(steps: readonly (readonly LanguageModelV3StreamPart[])[]): LanguageModelV3 {
  let step = 0
  return {
    specificationVersion: 'v3',
    provider: 'prepared',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('A prepared model only streams.')),
    doStream() {
      const parts = steps[step++]!
      let next = 0
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        pull(controller) {
          const part = parts[next++]
          if (part === undefined) controller.close()
          else controller.enqueue(part)
        },
      })
      return Promise.resolve({ stream })
    },
  }
}

/** `xml` as a syntax of its own, so that a message may hold any number of calls. */
export const xmlWithoutLimit: typeof xml = { ...xml, name: 'xml-without-limit', limit: 'none' }

const last: readonly LanguageModelV3StreamPart[] = [...text(['Done.']), finish('stop')]

function calls(first: number, count: number, wording: Wording): LanguageModelV3StreamPart[] {
  const numbers = Array.from({ length: count }, (_, n) => first + n)
  if (wording === 'native') return [...numbers.flatMap(nativeCall), finish('tool-calls')]
  const write = wording === 'xml' ? xmlCall : peerCall
  return [...text(numbers.flatMap(write)), finish('stop')]
}

function nativeCall(number: number): LanguageModelV3StreamPart[] {
  const id = `call-${number}`
  const input = JSON.stringify({ path: `file-${number}.ts` })
  return [
    { type: 'tool-input-start', id, toolName: 'look' },
    { type: 'tool-input-delta', id, delta: input.slice(0, 9) },
    { type: 'tool-input-delta', id, delta: input.slice(9) },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: 'look', input },
  ]
}

function xmlCall(number: number): string[] {
  return ['<tool:look>\n', `<param:path>file-${number}`, '.ts</param:path>\n', '</tool:look>\n']
}

function peerCall(number: number): string[] {
  return ['<look>\n', `<path>file-${number}`, '.ts</path>\n', '</look>\n']
}

function text(deltas: readonly string[]): LanguageModelV3StreamPart[] {
  const id = '0'
  return [
    { type: 'text-start', id },
    ...deltas.map(delta => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
  ]
}

function finish(unified: 'stop' | 'tool-calls'): LanguageModelV3StreamPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    },
  }
}
