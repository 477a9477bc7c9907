import type { Attributes } from './call-attributes.ts'
import type { TagName } from './reader/tag.ts'
import { isJsonPart } from './record.ts'

/** What a written element shows: what a person reviews, and what a reader without the sidecar needs. */
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

/** True for an attribute that belongs in the document; the others belong in its sidecar. */
export function isKept(element: TagName, [name, value]: Attributes[number]): boolean {
  if (element !== 'assistant') return visibleAttributes[element]?.includes(name) === true
  // The model isn't sent what it wrote after its last call.
  return (
    (name === 'part' && typeof value === 'string' && isJsonPart(value)) || (name === 'phase' && value === 'remainder')
  )
}

/** Where a written element has this attribute among those that it shows. */
export function placeInTag(element: TagName, name: string): number {
  const place = visibleAttributes[element]?.indexOf(name) ?? -1
  return place === -1 ? Number.MAX_SAFE_INTEGER : place
}
