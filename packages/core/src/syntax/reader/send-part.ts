import type { BlockCall } from '../block/block-call.ts'
import { CR } from './char-codes.ts'
import type { Reader } from './reader.ts'

/**
 * A line of a block continues with the next piece: what the block has not had of it, from `from` on, is sent. Gives up to
 * where it has; a CR waits, for it may belong to the line break.
 */
export function sendPart(reader: Reader, block: BlockCall | undefined, from: number, lineOffset: number): number {
  const isCr = reader.text.charCodeAt(reader.at - 1) === CR
  const end = isCr ? reader.offset - 1 : reader.offset
  if (end > from) block?.part(reader.between(from, end), lineOffset)
  return Math.max(from, end)
}
