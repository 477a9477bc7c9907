import { inspectPayload } from '../builder/payload.ts'

/** Fields that hold any value: of one that is nested too deeply the JSON text is kept, other fields are left out. */
const payloads: ReadonlySet<string> = new Set(['input', 'rawInput', 'output', 'data'])

/** The object, or a copy of it, in which no field is nested past the limit. */
export function withinDepth<T extends object>(object: T): T {
  let changed = false
  const fields = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const payload = typeof value === 'object' && value !== null ? inspectPayload(value) : undefined
    if (payload?.tooDeep !== true) return [[key, value]]
    changed = true
    return payloads.has(key) ? [[key, payload.value]] : []
  })
  return changed ? (Object.fromEntries(fields) as T) : object
}
