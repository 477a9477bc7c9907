import type { Attributes } from './call-attributes.ts'
import type { TagName } from './reader/tag.ts'
import { isJsonPart } from './record.ts'

/** People review these attributes, or readers without the sidecar need them. */
const visibleAttributes: Readonly<Partial<Record<TagName, readonly string[]>>> = {
  msg: ['role'],
  developer: ['name', 'part', 'replaces'],
  reasoning: ['id'],
  tool_call: ['function_name', 'tool_call_id', 'type', 'encoding', 'provider_executed'],
  tool_response: [
    'tool_call_id',
    'type',
    'state',
    'encoding',
    'approved',
    'approved_by',
    'approved_at',
    'approval_reason',
    'approved_input',
  ],
}

/** Other attributes belong in the document's sidecar. */
export function isVisibleAttribute(element: TagName, [name, value]: Attributes[number]): boolean {
  if (element !== 'assistant') return visibleAttributes[element]?.includes(name) === true
  // Text after the model's last call is not sent to it.
  return (
    (name === 'part' && typeof value === 'string' && isJsonPart(value)) || (name === 'phase' && value === 'remainder')
  )
}

export function attributeOrder(element: TagName, name: string): number {
  const place = visibleAttributes[element]?.indexOf(name) ?? -1
  return place === -1 ? Number.MAX_SAFE_INTEGER : place
}
