import { MAX_NAME } from '../limits.ts'
import type { Reader } from '../reader/reader.ts'
import type { State } from '../reader/states.ts'

/**
 * Opens a call with the id the model wrote. If another call in the message has that id, or it is too long, the call
 * gets a different id and this one is kept as a remark. Results find their calls by id.
 */
export function openWithId(reader: Reader, name: string, id: string | undefined): State | undefined {
  const isFree = id !== undefined && id.length <= MAX_NAME && !reader.hasId(id)
  const elsewhere = reader.open(name, isFree ? id : undefined)
  if (reader.call !== undefined && id !== undefined && !isFree) reader.call.modelId = id
  return elsewhere
}
