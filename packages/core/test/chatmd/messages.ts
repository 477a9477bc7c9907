import type { Message, MessagePart, ToolInvocation } from '@argot/core'
import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import type { WriteResult } from '@argot/core/chatmd/internal'
import type { ProviderMetadata, ToolApproval } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { hostileText } from './documents.ts'

/** Drops what is undefined, as JSON does. */
function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })

/** JSON that survives `JSON.parse(JSON.stringify(x))`, with hostile keys and strings. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      hostileText,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(hostileText, fc.constantFrom('__proto__', 'constructor', 'a')), tie('value'), {
        maxKeys: 3,
      }),
    ),
  }))
  .value.map(value => JSON.parse(JSON.stringify(value)))

/** What a provider says, and beside it what Argot says itself: of that, only what is allowed comes back from a document. */
const metadata = (own: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<ProviderMetadata> =>
  fc
    .record(
      {
        openai: fc.dictionary(fc.constantFrom('itemId', 'signature', 'k'), anyJson, { maxKeys: 3 }),
        x: fc.dictionary(fc.constantFrom('argot', 'k'), anyJson, { maxKeys: 2 }),
        argot: fc.record(own, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    .map(value => JSON.parse(JSON.stringify(value)))

const found = { code: hostileText, offset: fc.nat(), dialect: hostileText, extra: fc.constant({ k: 1 }) }
const ofCall = metadata({
  ...found,
  itemId: hostileText,
  inputEncoding: fc.constantFrom('text', 'json'),
  rawInput: anyJson,
})
const ofResult = metadata({ ...found, settledBy: fc.constantFrom('abort', 'limit') })
const ofText = metadata({
  phase: fc.constantFrom('pending', 'commentary', 'final'),
  toolCallId: hostileText,
  state: fc.constant('aborted'),
})

const textState = fc.constantFrom('streaming', 'done', 'aborted')
const id = fc.oneof(hostileText, fc.constantFrom('call_1', 'call_2', 'a/b', '..', ''))

const text: fc.Arbitrary<MessagePart> = fc
  .record({
    type: fc.constant('text' as const),
    id,
    text: hostileText,
    state: textState,
    phase: maybe(fc.constantFrom('pending', 'commentary', 'final', 'remainder')),
    toolCallId: maybe(id),
    providerMetadata: maybe(ofText),
  })
  .map(defined) as fc.Arbitrary<MessagePart>

const reasoning: fc.Arbitrary<MessagePart> = fc
  .record({
    type: fc.constant('reasoning' as const),
    id,
    text: hostileText,
    state: textState,
    providerMetadata: maybe(ofText),
  })
  .map(defined) as fc.Arbitrary<MessagePart>

const approval: fc.Arbitrary<ToolApproval> = fc
  .record({
    id: hostileText,
    approved: maybe(fc.boolean()),
    reason: maybe(hostileText),
    always: maybe(fc.boolean()),
    by: maybe(hostileText),
  })
  .map(defined) as fc.Arbitrary<ToolApproval>

const time = fc.integer({ min: 0, max: 4e12 })

export const invocation: fc.Arbitrary<ToolInvocation> = fc
  .record({
    toolCallId: id,
    toolName: hostileText,
    state: fc.constantFrom(
      'input-streaming',
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-error',
      'output-denied',
    ),
    input: maybe(anyJson),
    rawInput: maybe(anyJson),
    output: maybe(anyJson),
    details: maybe(anyJson),
    errorText: maybe(hostileText),
    approval: maybe(approval),
    preliminary: maybe(fc.boolean()),
    providerExecuted: maybe(fc.boolean()),
    title: maybe(hostileText),
    settledBy: maybe(fc.constantFrom('abort', 'error', 'end', 'limit')),
    callProviderMetadata: maybe(ofCall),
    resultProviderMetadata: maybe(ofResult),
    toolMetadata: maybe(fc.dictionary(fc.constantFrom('a', 'b'), anyJson, { maxKeys: 2 }).map(value => ({ ...value }))),
    startedAt: maybe(time),
    endedAt: maybe(time),
  })
  .map(call => ({ key: call.toolCallId, ...defined(call) }) as ToolInvocation)

const tool: fc.Arbitrary<MessagePart> = fc
  .tuple(fc.constantFrom('tool', 'dynamic-tool'), invocation)
  .map(([type, toolInvocation]) => ({ type, toolInvocation }) as MessagePart)

const rest: fc.Arbitrary<MessagePart> = fc.oneof(
  fc.constant({ type: 'step-start' as const }),
  fc.record({ type: fc.constant('source-url' as const), sourceId: hostileText, url: hostileText }),
  fc.record({ type: fc.constant('file' as const), mediaType: hostileText, url: hostileText, filename: hostileText }),
  fc.record({ type: fc.constant('data-x' as const), id: hostileText, data: anyJson }),
)

const part = fc.oneof({ weight: 3, arbitrary: text }, reasoning, { weight: 4, arbitrary: tool }, rest)

/** Gives a call whose id was used before in its message a key of its own, as the accumulator does. */
function withKeys(parts: readonly MessagePart[]): MessagePart[] {
  const seen = new Map<string, number>()
  const keys = new Set<string>()
  return parts.map(one => {
    if (one.type !== 'tool' && one.type !== 'dynamic-tool') return one
    const call = one.toolInvocation
    let count = (seen.get(call.toolCallId) ?? 0) + 1
    let key = count === 1 ? call.toolCallId : `${call.toolCallId}#${count}`
    while (keys.has(key)) key = `${call.toolCallId}#${++count}`
    seen.set(call.toolCallId, count)
    keys.add(key)
    return { ...one, toolInvocation: { ...call, key } } as MessagePart
  })
}

export const assistantMessage: fc.Arbitrary<Message> = fc
  .record({
    id: id,
    role: fc.constant('assistant' as const),
    status: fc.constantFrom('streaming', 'sent', 'cancelled', 'error'),
    parts: fc.array(part, { maxLength: 6 }).map(withKeys),
    metadata: maybe(fc.dictionary(fc.constantFrom('usage', 'k'), anyJson, { maxKeys: 2 }).map(value => ({ ...value }))),
    createdAt: maybe(fc.constantFrom('2026-01-02T03:04:05.678Z', 'yesterday')),
    finishReason: maybe(fc.constantFrom('stop', 'length', 'content-filter', 'tool-calls', 'error', 'other')),
    errorText: maybe(hostileText),
  })
  .map(defined) as fc.Arbitrary<Message>

const promptPart: fc.Arbitrary<MessagePart> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc
    .record({
      type: fc.constant('file' as const),
      mediaType: fc.constantFrom('image/png', 'text/plain', ''),
      url: hostileText.map(one => `data:${one}`),
      filename: maybe(hostileText),
      providerMetadata: maybe(metadata({})),
    })
    .map(defined) as fc.Arbitrary<MessagePart>,
  fc.record({ type: fc.constant('data-x' as const), data: anyJson }),
)

export const promptMessage: fc.Arbitrary<Message> = fc
  .record({
    id: id.filter(one => one !== ''),
    role: fc.constantFrom('user', 'system', 'developer', 'tool'),
    status: fc.constantFrom('sent', 'error'),
    parts: fc.array(promptPart, { maxLength: 4 }),
    createdAt: maybe(fc.constant('2026-01-02T03:04:05.678Z')),
    metadata: maybe(fc.dictionary(fc.constantFrom('k'), anyJson, { maxKeys: 1 }).map(value => ({ ...value }))),
  })
  .map(message => ({
    ...defined(message),
    // Files are images of a prompt; a tool message has text only.
    parts: message.parts.filter(one => message.role !== 'tool' || one.type !== 'file'),
  })) as fc.Arbitrary<Message>

/** A resolver over files that were written; anything else is missing. */
export function filesOf(written: Pick<WriteResult, 'files'>): Resolver {
  const files = new Map(written.files.map(({ path, text: content }) => [path, content]))
  return {
    async resolve({ src }) {
      const content = files.get(src)
      if (content === undefined) {
        return { ok: false, problem: { code: 'CHATMD_NOT_RESOLVED', message: `${src} does not exist.` } }
      }
      return { ok: true, text: content, file: src }
    },
  }
}

/** The messages that a written text reads back as, and what is wrong with it. */
export async function readBack(written: WriteResult): Promise<{ messages: Message[]; problems: string[] }> {
  const { document, diagnostics } = parseChatMd(written.append)
  const expanded = await expand(document, { resolver: filesOf(written) })
  return {
    messages: expanded.messages.map(one => one.message),
    problems: [...diagnostics, ...expanded.diagnostics].map(one => `${one.code} ${one.message}`),
  }
}

/** A value as text with sorted keys, so that hostile names and `undefined` count, too. */
export function canonical(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const keys = Object.keys(value).sort()
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join()}}`
}
