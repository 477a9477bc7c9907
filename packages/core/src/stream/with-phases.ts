import { correctionType, isCorrection } from '../message/correction.ts'
import { isToolPart, type Message, type MessagePart, type TextPart } from '../message/message.ts'
import { defined } from '../source/defined.ts'
import { argotMetadata } from './chunk.ts'
import { Commentary } from './commentary.ts'

/**
 * The message with a phase on every finished text that has none, decided by the same rule as in a stream. Many
 * histories have no `step-start` parts. Like a stream without steps, such a message is one step, and the text after its
 * last call is the answer.
 */
export function withPhases(message: Message): Message {
  const parts: MessagePart[] = [...message.parts]
  if (!parts.some(part => part.type === 'text' && part.phase === undefined)) return message
  const commentary = new Commentary(chunk => {
    if (chunk.type !== 'text-end') return
    const own = argotMetadata(chunk)
    const index = Number(chunk.id)
    const part = parts[index] as TextPart
    if (part.phase !== undefined || own?.phase === undefined) return
    parts[index] = { ...part, phase: own.phase, ...defined({ toolCallId: own.toolCallId }) }
  })
  message.parts.forEach((part, index) => {
    const id = String(index)
    if (part.type === 'step-start') commentary.push({ type: 'start-step' })
    else if (isToolPart(part)) {
      const { toolCallId, toolName, providerExecuted } = part.toolInvocation
      const executedField = providerExecuted === true ? { providerExecuted } : {}
      commentary.push({ type: 'tool-input-start', toolCallId, toolName, ...executedField })
    } else if (isCorrection(part)) commentary.push({ type: correctionType, data: part.data })
    else if (part.type === 'text' && part.state === 'done') {
      commentary.push({ type: 'text-start', id })
      commentary.push({ type: 'text-end', id })
    }
  })
  commentary.push({ type: parts.some(({ type }) => type === 'step-start') ? 'finish-step' : 'finish' })
  return { ...message, parts }
}
