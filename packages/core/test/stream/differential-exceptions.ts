import type { Chunk, UIMessage } from '@argot/core'
import type { UIMessagePart } from '@argot/core/ai-sdk/internal'
import type { MuiMessage, MuiPart } from './clients.ts'

/**
 * Where another client makes something else of a stream than we do, and why that is right. `forgive` takes the
 * difference out of either message, and may look at ours as it was; `excludes` says of a stream that it cannot be compared at all. Each has a `witness`,
 * a stream that differs as soon as the exception is taken away.
 */
export interface Exception<M> {
  name: string
  reason: string
  witness: readonly Chunk[]
  forgive?: (message: M, ours: M) => void
  excludes?: (chunks: readonly Chunk[]) => boolean
}

const start: Chunk = { type: 'start', messageId: 'm' }
const finish: Chunk = { type: 'finish', messageId: 'm', finishReason: 'stop' }
const input = { command: 'ls' }
const opened: Chunk = { type: 'tool-input-start', toolCallId: 'c', toolName: 'shell' }
const available: Chunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'shell', input }
const requested: Chunk = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c', toolName: 'shell', input }
const approved: Chunk = { type: 'tool-approval-response', approvalId: 'a', toolCallId: 'c', approved: true }
const denied: Chunk = { ...approved, approved: false, reason: 'no' } as Chunk
const refused: Chunk = { type: 'tool-output-denied', toolCallId: 'c', reason: 'no' }
const output: Chunk = { type: 'tool-output-available', toolCallId: 'c', output: 'done' }
const cutOff: Chunk = {
  type: 'tool-output-error',
  toolCallId: 'c',
  errorText: 'Stopped.',
  providerMetadata: { argot: { settledBy: 'abort' } },
}
const said: readonly Chunk[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
]
const delta = (inputTextDelta: string): Chunk => ({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta })
const remainder: Chunk = { type: 'text-start', id: 't', providerMetadata: { argot: { phase: 'remainder' } } }
const parked: Chunk = { ...finish, finishReason: 'tool-calls' } as Chunk

/** Of `ai` 6.0.326. */
export const aiExceptions: readonly Exception<UIMessage>[] = [
  {
    name: 'approval answers',
    reason: 'v6 has no chunk for the answer to an approval and rejects ours, so its message has open questions only.',
    witness: [start, available, requested, approved, output, finish],
    forgive: eachCall(part => {
      if (part.state !== 'approval-requested' && part.state !== 'output-denied') delete part.approval
      const result = part.resultProviderMetadata as Record<string, Record<string, unknown>> | undefined
      const answer = result?.argot?.approval as { approved?: boolean } | undefined
      if (answer?.approved !== false || part.state === 'output-denied') delete result?.argot?.approval
      if (result?.argot !== undefined && Object.keys(result.argot).length === 0) delete part.resultProviderMetadata
    }),
  },
  {
    name: 'answered calls that still wait',
    reason: 'For the same reason a call that was answered but not run yet stays in the state that it had before.',
    witness: [start, available, requested, approved, parked],
    forgive: eachCall(part => {
      if (part.state === 'approval-responded') part.state = 'input-available'
    }),
  },
  {
    name: 'denials',
    reason: 'Its messages have a denial only beside the answer of its own person, so it gets an error that says why.',
    witness: [start, available, requested, denied, refused, finish],
    forgive: eachCall(part => {
      const result = part.resultProviderMetadata as Record<string, Record<string, unknown>> | undefined
      const answer = (result?.argot?.approval ?? part.approval) as { reason?: string; approved?: boolean } | undefined
      if (answer?.approved !== false) return
      // It was denied, and the run stopped before that was said: it learns of the stop only.
      if (settledBy(part) !== undefined) {
        delete part.approval
        delete result?.argot?.approval
        return
      }
      part.state = 'output-denied'
      part.approval = { reason: answer.reason }
      delete part.errorText
      delete part.rawInput
      delete part.resultProviderMetadata
    }),
  },
  {
    name: 'raw input',
    reason:
      'Its shape has no place for what a person edited away, nor for the raw text of a dynamic call that was cut off.',
    witness: [
      start,
      available,
      requested,
      approved,
      { ...available, input: { command: 'pwd' } } as Chunk,
      output,
      finish,
    ],
    forgive: eachCall(part => {
      const { argot, ...rest } = (part.callProviderMetadata ?? {}) as Record<string, Record<string, unknown>>
      if (argot === undefined) return
      const { rawInput: _, ...own } = argot
      const metadata = Object.keys(own).length > 0 ? { ...rest, argot: own } : rest
      if (Object.keys(metadata).length > 0) part.callProviderMetadata = metadata
      else delete part.callProviderMetadata
    }),
  },
  {
    name: 'unfinished input',
    reason:
      'It guesses the end of a number or literal that was cut off, and refuses `__proto__`; we show what is certain.',
    witness: [start, opened, delta('{"depth": 1'), cutOff, finish],
    forgive: eachCall(part => {
      if (part.state === 'output-error' && settledBy(part) !== undefined) delete part.input
    }),
  },
  {
    name: 'half characters',
    reason:
      'It keeps half of a surrogate pair that came alone, which no encoder can write; we put U+FFFD in its place.',
    witness: [start, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: '\ud83d' }, finish],
    forgive: message => {
      message.parts = message.parts.map(wholeCharacters)
    },
  },
  {
    name: 'remainders',
    reason: 'Text past the call limit is kept and never shown, so only our own clients get it.',
    witness: [start, remainder, { type: 'text-delta', id: 't', delta: 'more' }, { type: 'text-end', id: 't' }, finish],
    forgive: message => {
      message.parts = message.parts.filter(part => argotOf(part.providerMetadata)?.phase !== 'remainder')
    },
  },
  {
    name: 'a last step without parts',
    reason: 'It shows the start of a step only together with what follows it.',
    witness: [start, ...said, { type: 'start-step' }, finish],
    forgive: message => {
      while (message.parts.at(-1)?.type === 'step-start') message.parts.pop()
    },
  },
  {
    name: 'file names',
    reason: 'It drops `filename` of a file chunk.',
    witness: [start, { type: 'file', mediaType: 'text/plain', url: 'data:,a', filename: 'a.txt' }, finish],
    forgive: message => {
      for (const part of message.parts) if (part.type === 'file') delete part.filename
    },
  },
  {
    name: 'steps that are made again',
    reason: 'v6 cannot take a step back; it keeps both, under different ids.',
    witness: [start, { type: 'start-step' }, ...said, { type: 'text-end', id: 't' }, { type: 'reset-step' }, finish],
    excludes: chunks => chunks.some(chunk => chunk.type === 'reset-step'),
  },
  {
    name: 'an id used twice in one step',
    reason: 'It has one call per id and step, which the second overwrites; we keep both.',
    witness: [start, available, output, opened, delta('{}'), { ...available, input: {} } as Chunk, output, finish],
    excludes: chunks => usesIdTwice(chunks),
  },
  {
    name: 'late chunks',
    reason: 'After the end of a message it goes on reading; we ignore and count what comes.',
    witness: [start, ...said, { type: 'text-end', id: 't' }, finish, ...said],
    excludes: chunks =>
      chunks.findIndex(chunk => chunk.type === 'finish' || chunk.type === 'abort') < chunks.length - 1,
  },
  {
    name: 'metadata called __proto__',
    reason: 'It leaves out the keys `__proto__`, `constructor` and `prototype` where it merges metadata.',
    witness: [
      { ...start, messageMetadata: { a: 1 } } as Chunk,
      { type: 'message-metadata', messageMetadata: { constructor: 1 } },
      finish,
    ],
    forgive: message => {
      if (typeof message.metadata !== 'object' || message.metadata === null) return
      message.metadata = Object.fromEntries(Object.entries(message.metadata).filter(([key]) => key !== 'constructor'))
    },
  },
]

/** Of `@mui/x-chat-headless` 9.0.0-alpha.18. */
export const muiExceptions: readonly Exception<MuiMessage>[] = [
  {
    name: 'what its shape has no field for',
    reason:
      'It keeps no phase, id or metadata of a text, no key, title, times, details, metadata or executor of a call.',
    witness: [start, ...said, { type: 'text-end', id: 't' }, finish],
    forgive: message => {
      message.parts = message.parts.map(part => pick(part, partFields))
      for (const { toolInvocation: call } of message.parts) {
        if (call !== undefined) for (const key of Object.keys(call)) if (!callFields.has(key)) delete call[key]
      }
    },
  },
  {
    name: 'approvals',
    reason: 'It keeps the id as `approvalId`, ignores the answer, and notes a denial without the id.',
    witness: [start, available, requested, approved, output, finish],
    forgive: eachMuiCall(call => {
      delete call.approval
      delete call.approvalId
    }),
  },
  {
    name: 'answered calls that still wait',
    reason: 'It ignores the answer to an approval, so the call stays in the state that it had before.',
    witness: [start, available, requested, approved, parked],
    forgive: eachMuiCall(call => {
      if (call.state === 'approval-responded' || call.state === 'input-available') call.state = 'approval-requested'
    }),
  },
  {
    name: 'partial input',
    reason: 'It reads no input before it is whole, so a call that was cut off has none.',
    witness: [start, opened, delta('{"command":"ls'), cutOff, finish],
    forgive: (message, ours) => {
      const cut = ours.parts.filter(part => part.toolInvocation?.settledBy !== undefined)
      const ids = new Set(cut.map(part => part.toolInvocation?.toolCallId))
      for (const { toolInvocation: call } of message.parts) if (ids.has(call?.toolCallId)) delete call?.input
    },
  },
  {
    name: 'half characters',
    reason:
      'It keeps half of a surrogate pair that came alone, which no encoder can write; we put U+FFFD in its place.',
    witness: [start, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: '\ud83d' }, finish],
    forgive: message => {
      message.parts = message.parts.map(wholeCharacters)
    },
  },
  {
    name: 'texts that were cut off',
    reason: 'It knows no state `aborted`.',
    witness: [start, ...said, { type: 'abort', messageId: 'm' }],
    forgive: message => {
      for (const part of message.parts) if (part.state === 'aborted') part.state = 'done'
    },
  },
  {
    name: 'a message called __proto__',
    reason: 'It keeps messages in a plain object, where that name is taken.',
    witness: [{ ...start, messageId: '__proto__' } as Chunk, ...said, finish],
    excludes: chunks => chunks.some(chunk => chunk.type === 'start' && chunk.messageId === '__proto__'),
  },
  {
    name: 'data parts',
    reason: 'It appends every data chunk, transient ones too, instead of replacing the one with the same id.',
    witness: [start, { type: 'data-x', id: 'd', data: 1 }, { type: 'data-x', id: 'd', data: 2 }, finish],
    forgive: message => {
      message.parts = message.parts.filter(part => !/^data-(?!argot-)/.test(part.type))
    },
  },
  {
    name: 'source documents',
    reason: 'It keeps neither the media type nor the file name of a document.',
    witness: [start, { type: 'source-document', sourceId: 'd', mediaType: 'text/plain', title: 'D' }, finish],
    forgive: message => {
      for (const part of message.parts) {
        if (part.type !== 'source-document') continue
        delete part.mediaType
        delete part.filename
      }
    },
  },
  {
    name: 'metadata',
    reason: 'It reads metadata from `message-metadata` only, and replaces nested objects instead of merging them.',
    witness: [{ ...start, messageMetadata: { a: 1 } } as Chunk, finish],
    forgive: message => {
      delete message.metadata
    },
  },
  {
    name: 'one id in two steps',
    reason: 'It has one call per id in a message: a second call of that id overwrites the first.',
    witness: [start, available, output, { type: 'start-step' }, opened, available, output, finish],
    excludes: chunks => usesIdTwice(chunks) || usesIdInTwoSteps(chunks),
  },
  {
    name: 'steps that are made again',
    reason: 'It ignores `reset-step` and keeps both.',
    witness: [start, { type: 'start-step' }, ...said, { type: 'text-end', id: 't' }, { type: 'reset-step' }, finish],
    excludes: chunks => chunks.some(chunk => chunk.type === 'reset-step'),
  },
  {
    name: 'remainders',
    reason: 'Text past the call limit is kept and never shown, so only our own clients get it.',
    witness: [start, remainder, { type: 'text-delta', id: 't', delta: 'more' }, { type: 'text-end', id: 't' }, finish],
    excludes: chunks =>
      chunks.some(chunk => chunk.type === 'text-start' && argotOf(chunk.providerMetadata)?.phase === 'remainder'),
  },
]

const partFields: ReadonlySet<string> = new Set([
  'type',
  'text',
  'state',
  'toolInvocation',
  'sourceId',
  'url',
  'title',
  'mediaType',
  'filename',
  'data',
])
const callFields: ReadonlySet<string> = new Set([
  'toolCallId',
  'toolName',
  'state',
  'input',
  'output',
  'errorText',
  'approval',
  'approvalId',
  'preliminary',
])

function pick(part: MuiPart, fields: ReadonlySet<string>): MuiPart {
  return Object.fromEntries(Object.entries(part).filter(([key]) => fields.has(key))) as MuiPart
}

function eachCall(forgive: (part: UIMessagePart) => void): (message: UIMessage) => void {
  return message => {
    for (const part of message.parts) if ('toolCallId' in part) forgive(part)
  }
}

function eachMuiCall(forgive: (call: Record<string, unknown>) => void): (message: MuiMessage) => void {
  return message => {
    for (const { toolInvocation } of message.parts) if (toolInvocation !== undefined) forgive(toolInvocation)
  }
}

function wholeCharacters<T>(part: T): T {
  const whole = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value)
  return JSON.parse(JSON.stringify(part), whole) as T
}

function argotOf(metadata: unknown): Record<string, unknown> | undefined {
  return (metadata as Record<string, Record<string, unknown>> | undefined)?.argot
}

function settledBy(part: UIMessagePart): unknown {
  return argotOf(part.resultProviderMetadata)?.settledBy
}

/** A second call begins under the id of one that is already there in the step. */
function usesIdTwice(chunks: readonly Chunk[]): boolean {
  const ids = new Set<string>()
  for (const chunk of chunks) {
    if (chunk.type === 'start-step') ids.clear()
    if (chunk.type === 'tool-input-start' && ids.has(chunk.toolCallId)) return true
    if (chunk.type === 'tool-input-start' || chunk.type === 'tool-input-available') ids.add(chunk.toolCallId)
  }
  return false
}

/** A call begins under the id of one of an earlier step. */
function usesIdInTwoSteps(chunks: readonly Chunk[]): boolean {
  const steps = new Map<string, number>()
  let step = 0
  for (const chunk of chunks) {
    if (chunk.type === 'start-step') step++
    if (chunk.type !== 'tool-input-start' && chunk.type !== 'tool-input-available') continue
    if ((steps.get(chunk.toolCallId) ?? step) !== step) return true
    steps.set(chunk.toolCallId, step)
  }
  return false
}
