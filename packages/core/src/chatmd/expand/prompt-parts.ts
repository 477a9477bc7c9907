import type { FilePart, MessagePart, TextPart } from '../../message/message.ts'
import { checkPart } from '../../message/own-metadata.ts'
import { defined } from '../../source/defined.ts'
import { isRecord } from '../../source/is-record.ts'
import { partId } from '../record.ts'

export type PromptPiece =
  | { type: 'text'; text: string; literal?: true }
  | Pick<FilePart, 'type' | 'url' | 'mediaType' | 'filename'>

/**
 * The parts that can be read from the element alone: adjacent text is one part, ids count up. If a message has other
 * parts, `argot.parts` has their outline.
 */
export function plainParts(messageId: string, pieces: readonly PromptPiece[]): (TextPart | FilePart)[] {
  const parts: (TextPart | FilePart)[] = []
  for (const piece of pieces) {
    const last = parts.at(-1)
    if (piece.type === 'file') parts.push(filePart(piece))
    else if (last?.type === 'text' && last.literal === piece.literal) last.text += piece.text
    else {
      const id = partId(messageId, parts.length)
      parts.push({ type: 'text', id, text: piece.text, state: 'done', ...defined({ literal: piece.literal }) })
    }
  }
  return parts
}

/**
 * The parts without the text and the addresses that the element contains; undefined if the element contains everything.
 */
export function toOutline(messageId: string, parts: readonly MessagePart[]): unknown[] | undefined {
  const pieces = parts.filter(part => part.type === 'text' || part.type === 'file')
  if (JSON.stringify(plainParts(messageId, pieces)) === JSON.stringify(parts.map(inOrder))) return undefined
  return parts.map(part => {
    if (part.type === 'text') return { ...part, text: part.text.length }
    if (part.type !== 'file') return part
    const { url, mediaType, filename, ...rest } = part
    return rest
  })
}

export function fillOutline(outline: unknown, pieces: readonly PromptPiece[]): MessagePart[] | undefined {
  if (!Array.isArray(outline)) return undefined
  const parts: MessagePart[] = []
  const rest = pieces.map(piece => ({ ...piece }))
  for (const one of outline) {
    if (!isRecord(one) || typeof one.type !== 'string') return undefined
    if (one.type === 'text') {
      const text = takeText(rest, one.text)
      if (text === undefined) return undefined
      parts.push(checkPart({ ...one, text } as TextPart))
    } else if (one.type === 'file') {
      while (rest[0]?.type === 'text' && rest[0].text === '') rest.shift()
      const piece = rest.shift()
      if (piece?.type !== 'file') return undefined
      parts.push(checkPart({ ...one, ...filePart(piece) }))
    } else parts.push(checkPart(one as unknown as MessagePart))
  }
  return rest.every(piece => piece.type === 'text' && piece.text === '') ? parts : undefined
}

function takeText(rest: PromptPiece[], length: unknown): string | undefined {
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 0) return undefined
  let text = ''
  while (text.length < length) {
    const piece = rest[0]
    if (piece?.type !== 'text') return undefined
    const prefix = piece.text.slice(0, length - text.length)
    text += prefix
    piece.text = piece.text.slice(prefix.length)
    if (piece.text === '') rest.shift()
  }
  return text
}

function filePart({ url, mediaType, filename }: Pick<FilePart, 'url' | 'mediaType' | 'filename'>): FilePart {
  return { type: 'file', mediaType, url, ...defined({ filename }) }
}

/** Puts fields in the order that `plainParts` uses, so that both have the same JSON. */
function inOrder(part: MessagePart): MessagePart {
  if (part.type === 'text') {
    const { type, id, text, state, ...rest } = part
    return { type, id, text, state, ...rest }
  }
  if (part.type !== 'file') return part
  const { providerMetadata, ...file } = part
  return providerMetadata === undefined ? filePart(file) : part
}
