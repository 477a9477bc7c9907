import { isToolPart, type MessagePart, type ToolInvocation } from '@argot/core'
import type { PromptTurn } from '@argot/core/ai-sdk/internal'
import { estimateTokens, isCorrection, readContentForModel } from '@argot/core/stream/internal'
import { FILE_TOKENS } from '../estimate-usage.ts'

export function describeTurn({ role, parts }: PromptTurn, number: number): string {
  const texts = parts.map(describePart).filter(text => text !== '')
  return `[${number}] ${role}:\n${texts.join('\n')}`
}

export function estimateTurnTokens(turn: PromptTurn): number {
  return estimateTokens(describeTurn(turn, 0)) + countFiles(turn) * FILE_TOKENS
}

function countFiles({ parts }: PromptTurn): number {
  return parts.reduce((sum, part) => {
    if (part.type === 'file') return sum + 1
    const content = isToolPart(part) ? readContentForModel(part.toolInvocation.output) : undefined
    return sum + (content?.value.filter(({ type }) => type !== 'text').length ?? 0)
  }, 0)
}

function describePart(part: MessagePart): string {
  if (isToolPart(part)) return describeCall(part.toolInvocation)
  if (isCorrection(part)) return `Argot to the model: ${part.data.text}`
  switch (part.type) {
    case 'text':
      return part.phase === 'remainder' ? '' : part.text
    case 'file':
      return `[a file: ${part.filename ?? part.mediaType}]`
    default:
      return ''
  }
}

function describeCall(call: ToolInvocation): string {
  const { toolName, toolCallId, input, rawInput } = call
  return `call ${toolCallId}: ${toolName} ${toText(input ?? rawInput ?? {})}\n→ ${describeResult(call)}`
}

function describeResult({ state, output, errorText, approval }: ToolInvocation): string {
  if (state === 'output-error') return `failed: ${errorText ?? ''}`
  if (state === 'output-denied') return `denied by the user${approval?.reason ? `: ${approval.reason}` : ''}`
  if (state !== 'output-available') return 'no result'
  const content = readContentForModel(output)
  if (content === undefined) return toText(output)
  return content.value.map(piece => (piece.type === 'text' ? piece.text : `[a file: ${piece.mediaType}]`)).join('\n')
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
