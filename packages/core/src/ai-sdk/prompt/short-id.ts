import * as limits from '../../stream/limits.ts'

/**
 * The provider's id, or a replacement if it is longer than allowed or contains lone surrogates. The same id always
 * gives the same replacement.
 */
export function shortId(id: string): string {
  if (id.length <= limits.idLength) return id.toWellFormed()
  return `${id.slice(0, 64).toWellFormed()}-${hash(id)}`
}

/**
 * 64 bits, enough to distinguish the ids of one conversation. This doesn't protect against deliberate collisions: a
 * provider that wants duplicate ids can simply send them.
 */
function hash(text: string): string {
  let [low, high] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x9e3779b1)
    high = Math.imul(high ^ code, 0x5f356495)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return [low, high].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
