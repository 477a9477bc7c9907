import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { joinDeltas } from '@argot/core/testing'

/** Chunks in a form that fits a table: a line for each text, reasoning, call and error. */
export function summary(chunks: readonly Chunk[]): string[] {
  const lines: string[] = []
  let kind = 'text'
  for (const chunk of joinDeltas(chunks)) {
    if (chunk.type === 'text-start') kind = argotMetadata(chunk)?.phase ?? 'text'
    if (chunk.type === 'text-delta') lines.push(`${kind} ${JSON.stringify(chunk.delta)}`)
    if (chunk.type === 'reasoning-delta') lines.push(`reasoning ${JSON.stringify(chunk.delta)}`)
    if (chunk.type === 'tool-input-available') lines.push(`${chunk.toolName} ${JSON.stringify(chunk.input)}`)
    if (chunk.type === 'tool-output-available') {
      lines.push(`${chunk.preliminary === true ? 'preview' : 'output'} ${JSON.stringify(chunk.output)}`)
    }
    if (chunk.type === 'tool-output-error') {
      const code = argotMetadata(chunk)?.code
      lines.push(code === undefined ? `failed ${JSON.stringify(chunk.errorText)}` : `failed ${code}`)
    }
    if (chunk.type === 'tool-input-error') {
      lines.push(`${chunk.toolName} ${argotMetadata(chunk)?.code} ${JSON.stringify(chunk.input)}`)
    }
  }
  return lines
}
