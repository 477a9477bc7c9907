import { MAX_NAME } from '../limits.ts'
import type { Reader } from '../reader/reader.ts'
import type { State } from '../reader/states.ts'

/**
 * Opens a call with the id that the model wrote. An id that another call of the message has, or that is too long, is not
 * taken but kept as a remark: results find their calls by id.
 */
export function openWithId(reader: Reader, name: string, id: string | undefined): State | undefined {
  const isFree = id !== undefined && id.length <= MAX_NAME && !reader.hasId(id)
  const elsewhere = reader.open(name, isFree ? id : undefined)
  if (reader.call !== undefined && id !== undefined && !isFree) reader.call.modelId = id
  return elsewhere
}
