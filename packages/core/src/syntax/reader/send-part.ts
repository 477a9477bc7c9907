import type { BlockCall } from '../block/block-call.ts'
import { CR } from './char-codes.ts'
import type { Reader } from './reader.ts'

/**
 * A block's line continues in the next piece: sends what the block hasn't received, from `from` on. Returns how far it
 * got. CRs at the end wait, because they may belong to the line break.
 */
export function sendPart(reader: Reader, block: BlockCall | undefined, from: number, lineOffset: number): number {
  let waiting = 0
  while (reader.text.charCodeAt(reader.at - waiting - 1) === CR) waiting++
  const end = reader.offset - waiting
  if (end > from) block?.part(reader.between(from, end), lineOffset)
  return Math.max(from, end)
}
