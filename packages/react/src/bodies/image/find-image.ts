import { type ContentPiece, readContent } from '@argot/core/stream/internal'

/** The size is missing if the data has none. */
export interface OutputImage {
  url: string
  width?: number
  height?: number
}

export function toImage(piece: ContentPiece): OutputImage | undefined {
  if (piece.type === 'text' || !piece.mediaType.startsWith('image/')) return undefined
  if (piece.type === 'file-url') return { url: piece.url }
  const url = `data:${piece.mediaType};base64,${piece.data}`
  return { url, ...imageSize(url) }
}

/** An output's first picture, in any shape that `readContent` knows, or in one of its fields. */
export function findImage(output: unknown): OutputImage | undefined {
  for (const piece of readContent(output)?.value ?? []) {
    const image = toImage(piece)
    if (image !== undefined) return image
  }
  return imageInFields(output)
}

const MOST_FIELDS = 20

/** `{ screenshot: 'data:image/png;…' }`, `{ images: […] }`, `{ b64_json: '…' }`, and the first item of a list. */
function imageInFields(output: unknown, depth = 0): OutputImage | undefined {
  if (typeof output !== 'object' || output === null || depth > 2) return undefined
  for (const [key, value] of Object.entries(output).slice(0, MOST_FIELDS)) {
    const data = key === 'b64_json' && typeof value === 'string' ? { type: 'image', data: value } : value
    const piece = typeof value === 'string' ? readContent(data)?.value[0] : undefined
    const image = piece === undefined ? imageInFields(value, depth + 1) : toImage(piece)
    if (image !== undefined) return image
  }
  return undefined
}

/** Formats have their size in their first bytes; a JPEG may have other data before it. */
const SIZE_CHARACTERS = 96_000

/** The size of a picture in a data URL, read from its first bytes: PNG, GIF, WebP, JPEG, SVG. */
export function imageSize(url: string): { width: number; height: number } | undefined {
  const comma = url.indexOf(',')
  if (comma < 0) return undefined
  const head = url.slice(0, comma)
  const bytes = head.endsWith(';base64') ? decode(url.slice(comma + 1, comma + 1 + SIZE_CHARACTERS)) : undefined
  if (head.includes('svg')) return svgSize(bytes === undefined ? unescapeUrl(url.slice(comma + 1)) : latin(bytes))
  if (bytes === undefined || bytes.length < 16) return undefined
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

interface Size {
  width: number
  height: number
}

function decode(base64: string): Uint8Array | undefined {
  try {
    const binary = atob(base64.slice(0, base64.length - (base64.length % 4)))
    return Uint8Array.from(binary, character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function unescapeUrl(value: string): string {
  try {
    return decodeURIComponent(value.slice(0, SIZE_CHARACTERS))
  } catch {
    return value
  }
}

function latin(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 4000))
}

function svgSize(source: string): Size | undefined {
  const tag = /<svg\b[^>]{0,2000}>/i.exec(source.slice(0, 4000))?.[0]
  if (tag === undefined) return undefined
  const width = Number(/\swidth=["']([\d.]+)(?:px)?["']/.exec(tag)?.[1])
  const height = Number(/\sheight=["']([\d.]+)(?:px)?["']/.exec(tag)?.[1])
  if (width > 0 && height > 0) return { width, height }
  const box = /\sviewBox=["'][\d.-]+[ ,]+[\d.-]+[ ,]+([\d.]+)[ ,]+([\d.]+)["']/.exec(tag)
  const [boxWidth, boxHeight] = [Number(box?.[1]), Number(box?.[2])]
  return boxWidth > 0 && boxHeight > 0 ? { width: boxWidth, height: boxHeight } : undefined
}

function pngSize(bytes: Uint8Array): Size | undefined {
  if (bytes[0] !== 0x89 || bytes[1] !== 0x50 || bytes.length < 24) return undefined
  const view = new DataView(bytes.buffer)
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function gifSize(bytes: Uint8Array): Size | undefined {
  if (bytes[0] !== 0x47 || bytes[1] !== 0x49 || bytes[2] !== 0x46) return undefined
  const view = new DataView(bytes.buffer)
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function webpSize(bytes: Uint8Array): Size | undefined {
  if (bytes[0] !== 0x52 || bytes[8] !== 0x57 || bytes.length < 30) return undefined
  const view = new DataView(bytes.buffer)
  const kind = String.fromCharCode(...bytes.subarray(12, 16))
  if (kind === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  const wide = view.getUint16(24, true) + (bytes[26]! << 16) + 1
  const high = view.getUint16(27, true) + (bytes[29]! << 16) + 1
  return kind === 'VP8X' ? { width: wide, height: high } : undefined
}

function jpegSize(bytes: Uint8Array): Size | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const view = new DataView(bytes.buffer)
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    const isSize = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isSize) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return undefined
}
