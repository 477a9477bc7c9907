import { isUtf8 } from 'node:buffer'
import { quoted } from '../words/quoted.ts'
import { SourceError } from './source-error.ts'

const SIGNATURES: readonly (readonly [signature: string, what: string])[] = [
  ['%PDF-', 'a PDF file'],
  ['\x89PNG\r\n\x1a\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['RIFF', 'a media file'],
  ['PK\x03\x04', 'a ZIP archive or an Office document'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\x7fELF', 'a program'],
  ['\x00asm', 'a WebAssembly module'],
  ['SQLite format 3\x00', 'a database'],
]

export interface DecodeOptions {
  name: string
  keepBom: boolean
  /** Accept NUL as a character instead of taking it as a sign of a binary file. */
  allowNul: boolean
}

/** Rejects binary files and anything else that isn't UTF-8; the error gives the offset of the first bad byte. */
export function decodeUtf8(bytes: Buffer, { name, keepBom, allowNul }: DecodeOptions): string {
  const utf16 = startsWith(bytes, '\xff\xfe') ? 'UTF-16LE' : startsWith(bytes, '\xfe\xff') ? 'UTF-16BE' : undefined
  if (utf16 !== undefined) {
    const message = `${quoted(name)} is ${utf16}, not UTF-8 (the first invalid byte is at offset 0).`
    throw new SourceError('CHATMD_BAD_ENCODING', message, 'Save the file as UTF-8.')
  }
  if (!allowNul) refuseBinary(bytes, name)
  if (!isUtf8(bytes)) {
    refuseKnownBinary(bytes, name)
    const message = `${quoted(name)} is not UTF-8: the byte at offset ${firstBadByte(bytes)} is invalid.`
    throw new SourceError('CHATMD_BAD_ENCODING', message, 'Save the file as UTF-8.')
  }
  const hasBom = startsWith(bytes, '\xef\xbb\xbf')
  return bytes.toString('utf8', hasBom && !keepBom ? 3 : 0)
}

/**
 * Decodes an HTTP response. The encoding comes from a byte order mark, the header, or the text itself (`meta` in HTML,
 * the declaration in XML), in this order. Bytes that don't fit it become U+FFFD, as in a browser. A response without
 * any of these must be UTF-8.
 */
export function decodeReply(bytes: Buffer, charset: string | undefined, markup: boolean, name: string): string {
  const label = bomEncoding(bytes) ?? charset ?? (markup ? declaredCharset(bytes) : undefined)
  if (label === undefined) return decodeUtf8(bytes, { name, keepBom: false, allowNul: false })
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(label)
  } catch {
    const message = `${quoted(name)} uses an unknown character encoding: ${quoted(label)}.`
    throw new SourceError('CHATMD_BAD_ENCODING', message, 'Use a UTF-8 copy.')
  }
  if (!decoder.encoding.startsWith('utf-16')) refuseBinary(bytes, name)
  return decoder.decode(bytes)
}

function bomEncoding(bytes: Buffer): string | undefined {
  if (startsWith(bytes, '\xef\xbb\xbf')) return 'utf-8'
  if (startsWith(bytes, '\xff\xfe')) return 'utf-16le'
  return startsWith(bytes, '\xfe\xff') ? 'utf-16be' : undefined
}

/** The encoding declared in the first 1,024 bytes of HTML or XML. They are readable as ASCII, so it can't be UTF-16. */
function declaredCharset(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 1024)
  const encoding =
    /^<\?xml[^>]*\sencoding\s*=\s*["']([^"'>]+)/.exec(start)?.[1] ??
    /<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1]
  return encoding !== undefined && /^utf-?16/i.test(encoding) ? 'utf-8' : encoding
}

function refuseBinary(bytes: Buffer, name: string): void {
  const nul = bytes.indexOf(0)
  if (nul === -1) return
  refuseKnownBinary(bytes, name)
  const message = `${quoted(name)} is not text: there is a NUL byte at offset ${nul}.`
  throw new SourceError('CHATMD_BINARY', message, 'Insert a text file, or an image with `<img>`.')
}

function refuseKnownBinary(bytes: Buffer, name: string): void {
  const what = SIGNATURES.find(([signature]) => startsWith(bytes, signature))?.[1]
  if (what === undefined) return
  const cure = what.endsWith('image') ? 'Insert images with `<img>`.' : 'Convert it to text first.'
  throw new SourceError('CHATMD_BINARY', `${quoted(name)} is ${what}, not text.`, cure)
}

/** `signature` has one character per byte. */
export function startsWith(bytes: Buffer, signature: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + signature.length) === signature
}

/** The offset of the first sequence that is not UTF-8; -1 if there is none. */
export function firstBadByte(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at)
    if (length === 0) return at
    at += length
  }
  return -1
}

/** How many bytes the character at this offset has; 0 if it is not well-formed. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return 1
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  if (at + length > bytes.length) return 0
  const second = bytes[at + 1]!
  // The second byte reveals overlong forms, surrogates and code points beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (length > 0 && (second < lowest || second > highest)) return 0
  for (let next = 2; next < length; next++) if ((bytes[at + next]! & 0xc0) !== 0x80) return 0
  return length
}
