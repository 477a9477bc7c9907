import { MAX_NAME } from '../limits.ts'
import type { Reader } from '../reader/reader.ts'
import type { State } from '../reader/states.ts'

/**
 * If another call in the message has the id that the model wrote, or it is too long, the call gets a different id and
 * this one is kept as `modelId`. Results find their calls by id.
 */
export function openWithId(reader: Reader, name: string, id: string | undefined): State | undefined {
  const isFree = id !== undefined && id.length <= MAX_NAME && !reader.hasId(id)
  const otherState = reader.open(name, isFree ? id : undefined)
  if (reader.call !== undefined && id !== undefined && !isFree) reader.call.modelId = id
  return otherState
}
