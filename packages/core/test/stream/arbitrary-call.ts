import type { Chunk } from '@argot/core'
import type { Tape } from './tape.ts'

const inputs: readonly unknown[] = [
  {},
  { query: 'notes' },
  { path: 'a\n"b"\\', depth: -1.5e3, deep: { list: [1, [true, null]], emoji: '👩‍👧\u0000' } },
  { content: 'x'.repeat(20), empty: '', '': 0 },
  JSON.parse('{"__proto__":{"a":1},"constructor":"c"}'),
  [],
  'text',
]
const outputs: readonly unknown[] = ['done', { temperature: 21 }, null, [], 0, JSON.parse('{"__proto__":1}')]

/** One call from its first chunk to its result; `later` is what comes in the next step. */
export function callLane(tape: Tape, toolCallId: string, last: boolean): { now: Chunk[]; later: Chunk[] } {
  const toolName = tape.pick(['search', 'write', 'constructor'])
  const input = tape.pick(inputs)
  const dynamic = tape.chance(4)
  const fields = {
    ...(dynamic && { dynamic }),
    ...(tape.chance(6) && { title: 'A title' }),
    ...(tape.chance(6) && { toolMetadata: { icon: 'i' } }),
  }
  const kind = tape.below(last ? 13 : 10)
  const executed = kind === 1 || kind === 2 ? { providerExecuted: true } : {}
  const call = { toolCallId, toolName, ...fields, ...executed }
  const metadata = tape.chance(5) ? { providerMetadata: { openai: { itemId: 'c' } } } : {}

  const now: Chunk[] = []
  if (kind === 9 || !tape.chance(5)) {
    now.push({ type: 'tool-input-start', ...call, ...metadata })
    const written = kind === 9 ? '{"broken": tru' : JSON.stringify(input)
    for (const inputTextDelta of tape.cut(written, tape.below(4))) {
      now.push({ type: 'tool-input-delta', toolCallId, inputTextDelta })
    }
  }
  if (kind === 9) {
    const errorText = 'This is not JSON.'
    now.push({ type: 'tool-input-error', toolCallId, toolName, ...fields, input: '{"broken": tru', errorText })
    return { now, later: [] }
  }
  now.push({ type: 'tool-input-available', ...call, input, ...metadata })
  if (kind === 10) return { now, later: [] }
  if ((kind >= 5 && kind <= 7) || kind >= 11) {
    now.push(...approval(tape, kind, toolCallId, toolName, input))
    if (kind === 7) now.push({ type: 'tool-input-available', ...call, input: { query: 'edited' } })
    if (kind >= 11) return { now, later: [] }
  }
  const result = readResult(tape, kind, toolCallId, executed)
  return kind === 2 ? { now, later: result } : { now: [...now, ...result], later: [] }
}

function approval(tape: Tape, kind: number, toolCallId: string, toolName: string, input: unknown): Chunk[] {
  const approvalId = tape.chance(3) ? `approval-${toolCallId}` : toolCallId
  const request: Chunk = { type: 'tool-approval-request', approvalId, toolCallId, toolName, input }
  if (kind === 11) return [request]
  const response: Chunk = {
    type: 'tool-approval-response',
    approvalId,
    toolCallId,
    approved: kind !== 6,
    ...(kind === 6 && tape.chance(2) && { reason: 'Too dangerous.' }),
    ...(tape.chance(4) && { always: true }),
    ...(tape.chance(4) && { providerMetadata: { argot: { by: 'anna', at: 1_700_000_000_000 } } }),
  }
  return [request, response]
}

function readResult(tape: Tape, kind: number, toolCallId: string, executed: { providerExecuted?: boolean }): Chunk[] {
  if (kind === 6) return [{ type: 'tool-output-denied', toolCallId, ...(tape.chance(3) && { reason: 'No.' }) }]
  if (kind === 4) return [{ type: 'tool-output-error', toolCallId, errorText: 'It failed.', ...executed }]
  const chunks: Chunk[] = []
  if (kind === 8) {
    for (let count = 1 + tape.below(3); count > 0; count--) {
      chunks.push({ type: 'tool-output-available', toolCallId, output: { left: count }, preliminary: true })
    }
  }
  const details = tape.chance(4) ? { providerMetadata: { argot: { details: { lines: 3 } } } } : {}
  chunks.push({ type: 'tool-output-available', toolCallId, output: tape.pick(outputs), ...executed, ...details })
  return chunks
}
