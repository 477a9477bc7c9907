import type { MessagePart, ToolInvocation, ToolPart, ToolState } from '@argot/core'
import { CallKeys, type ToolApproval, toolStates } from '@argot/core/stream/internal'

/**
 * The call in a part from Argot, MUI X Chat (`{ type: 'tool', toolInvocation }`) or the AI SDK (`tool-NAME`,
 * `dynamic-tool`); undefined for any other part. The same part gives the same call.
 */
export function readToolPart(part: object): ToolPart | undefined {
  const cached = toolParts.get(part)
  if (cached !== undefined) return cached
  const { type, toolInvocation } = part as { type?: unknown; toolInvocation?: unknown }
  if (typeof type !== 'string') return undefined
  let toolPart: ToolPart | undefined
  if (type === 'tool' || type === 'dynamic-tool') {
    const call = isObject(toolInvocation) ? toolInvocation : type === 'dynamic-tool' ? (part as PartFields) : undefined
    if (call !== undefined) toolPart = isOurs(call) ? (part as ToolPart) : toPart(type, readCall(call, undefined))
  } else if (type.startsWith('tool-')) {
    toolPart = toPart('tool', readCall(part as PartFields, type.slice('tool-'.length)))
  }
  if (toolPart !== undefined) toolParts.set(part, toolPart)
  return toolPart
}

/** Parts of a message from somewhere else. Call keys are made unique; anything that is not a part is left out. */
export function readParts(parts: readonly unknown[]): MessagePart[] {
  const keys = new CallKeys()
  return parts.filter(isObject).flatMap((part, index) => {
    const tool = readToolPart(part)
    if (tool !== undefined) return [withKey(tool, keys)]
    if (typeof part.type !== 'string') return []
    return [
      part.type === 'text' || part.type === 'reasoning' ? readText(part, index) : (part as unknown as MessagePart),
    ]
  })
}

const toolParts: WeakMap<object, ToolPart> = new WeakMap()

type PartFields = Record<string, unknown>

function isObject(value: unknown): value is PartFields {
  return typeof value === 'object' && value !== null
}

/** A fold's call builds its input lazily, so it must not be copied. */
function isOurs(call: PartFields): boolean {
  return typeof call.key === 'string' && (call.state !== 'approval-requested' || isObject(call.approval))
}

function toPart(type: 'tool' | 'dynamic-tool', toolInvocation: ToolInvocation): ToolPart {
  return { type, toolInvocation } as ToolPart
}

function readCall(call: PartFields, name: string | undefined): ToolInvocation {
  const toolCallId = typeof call.toolCallId === 'string' ? call.toolCallId : ''
  const own = argotFields(call.resultProviderMetadata)
  const approval = readApproval(call, toolCallId)
  const invocation = {
    ...call,
    key: typeof call.key === 'string' ? call.key : toolCallId,
    toolCallId,
    toolName: name ?? (typeof call.toolName === 'string' ? call.toolName : 'unknown'),
    state: toolStates.has(call.state) ? (call.state as ToolState) : 'input-available',
  } as ToolInvocation
  if (approval === undefined) delete invocation.approval
  else invocation.approval = approval
  if (invocation.details === undefined && own.details !== undefined) invocation.details = own.details
  if (invocation.settledBy === undefined && typeof own.settledBy === 'string')
    invocation.settledBy = own.settledBy as NonNullable<ToolInvocation['settledBy']>
  return invocation
}

/** MUI X Chat has the id next to the approval, and `approval` only once it is answered. */
function readApproval(call: PartFields, toolCallId: string): ToolApproval | undefined {
  const approval = isObject(call.approval) ? call.approval : undefined
  if (approval === undefined && call.state !== 'approval-requested') return undefined
  const id = [approval?.id, call.approvalId, toolCallId].find(one => typeof one === 'string') as string
  return { ...approval, id }
}

function argotFields(metadata: unknown): PartFields {
  return isObject(metadata) && Object.hasOwn(metadata, 'argot') && isObject(metadata.argot) ? metadata.argot : {}
}

function withKey(part: ToolPart, keys: CallKeys): ToolPart {
  const { toolInvocation: call } = part
  const key = keys.take(call.key)
  return key === call.key ? part : toPart(part.type, { ...call, key })
}

function readText(part: PartFields, index: number): MessagePart {
  const own = argotFields(part.providerMetadata)
  const text = {
    ...part,
    id: typeof part.id === 'string' ? part.id : String(index),
    text: typeof part.text === 'string' ? part.text : '',
    state: part.state === 'streaming' || part.state === 'aborted' ? part.state : 'done',
  } as unknown as MessagePart & { type: 'text' }
  if (part.type === 'text' && text.phase === undefined && typeof own.phase === 'string') {
    text.phase = own.phase as NonNullable<typeof text.phase>
  }
  return text
}
