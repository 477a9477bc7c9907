import { syntaxes } from '@argot/core/syntax'
import { type Slices, signCalls } from './read-reply.ts'
import type { CallReading, ReadRequest } from './reading.ts'

export interface DialectReading {
  syntax: string
  /** `same`: the same calls as the reading, with the same inputs. */
  result: 'same' | 'other' | 'none'
  toolNames: string[]
  failed: number
}

const PIECE_CHARACTERS = 50_000

/** What each syntax would read, one after another, compared with `own`. */
export function* compareDialects({ text, tools }: ReadRequest, own: readonly CallReading[]): Slices<DialectReading[]> {
  const expected = signCalls(own)
  const expectedFailures = own.filter(({ failure }) => failure !== undefined).length
  const readings: DialectReading[] = []
  for (const name of textSyntaxes()) {
    const parser = syntaxes.get(name).parser({ tools })
    const calls: { toolName: string; input: unknown }[] = []
    let failed = 0
    const take = (chunks: ReturnType<typeof parser.push>): void => {
      for (const chunk of chunks) {
        if (chunk.type === 'tool-input-available') calls.push({ toolName: chunk.toolName, input: chunk.input })
        if (chunk.type === 'tool-input-error' || chunk.type === 'tool-output-error') failed++
      }
    }
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
      take(parser.push(text.slice(at, at + PIECE_CHARACTERS)))
      yield
    }
    take(parser.end())
    const isSame = failed === expectedFailures && signCalls(calls) === expected
    const result = calls.length + failed === 0 ? 'none' : isSame ? 'same' : 'other'
    readings.push({ syntax: name, result, toolNames: calls.map(({ toolName }) => toolName), failed })
  }
  return readings
}

/** The names of the syntaxes that write calls as text, without `auto`, which reads them all. */
export function textSyntaxes(): string[] {
  return syntaxes.names().filter(name => name !== 'auto' && syntaxes.get(name).kind !== 'native')
}
