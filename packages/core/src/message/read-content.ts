import { encodeBase64 } from '../source/base64.ts'
import { isRecord } from '../source/is-record.ts'
import {
  type ContentOutput,
  type ContentPiece,
  isSafeAddress,
  matchContentOutput,
  pictureType,
} from './content-output.ts'

type PieceFields = Record<string, unknown>
type FilePiece = Exclude<ContentPiece, { type: 'text' }>

/**
 * The only reader of outputs with pictures and other files. It reads every shape that tools return: the AI SDK's
 * `{ type: 'content', value }`, an MCP result (`{ content }`), a list of such pieces, a single piece, a picture's
 * `data:` address. Texts and files stay in order, and other fields become a text after them. Undefined for any other
 * output, and for one without a file.
 */
export function readContent(output: unknown): ContentOutput | undefined {
  const content = matchContentOutput(output)
  if (content !== undefined) return content
  const value = readOutput(output)
  return value?.some(({ type }) => type !== 'text') ? { type: 'content', value } : undefined
}

/** A model can get a file only if the output has its data. */
export function readContentForModel(output: unknown): ContentOutput | undefined {
  const content = readContent(output)
  return content?.value.some(({ type }) => type === 'file-data') ? content : undefined
}

function readOutput(output: unknown): ContentPiece[] | undefined {
  if (typeof output === 'string') {
    const file = /^data:image\//i.test(output.slice(0, 16)) ? readAddress(output, undefined) : undefined
    return file && [file]
  }
  if (Array.isArray(output)) return readList(output)
  if (!isRecord(output)) return undefined
  const key = own(output, 'type') === 'content' && Array.isArray(own(output, 'value')) ? 'value' : 'content'
  const list = own(output, key)
  if (!Array.isArray(list)) return readPiece(output, false)
  const pieces = list.flatMap(one => readPiece(one, true) ?? [{ type: 'text' as const, text: toText(one) }])
  return [...pieces, ...getRest(output, [key, 'type'])]
}

/** A list is content only if every item is a piece: a list of records stays a list. */
function readList(list: readonly unknown[]): ContentPiece[] | undefined {
  const pieces: ContentPiece[] = []
  for (const one of list) {
    const piece = readPiece(one, true)
    if (piece === undefined) return undefined
    pieces.push(...piece)
  }
  return pieces
}

/** A piece may have other fields. In a list, a record that only has an address must also state its type. */
function readPiece(value: unknown, isInList: boolean): ContentPiece[] | undefined {
  if (typeof value === 'string') {
    return isInList ? (readOutput(value) ?? [{ type: 'text', text: value }]) : undefined
  }
  if (!isRecord(value)) return undefined
  const text = /^(?:input_|output_)?text$/.test(textIn(value, 'type') ?? '') ? textIn(value, 'text') : undefined
  if (text !== undefined) return [{ type: 'text', text }]
  if (own(value, 'type') === 'resource_link') return readLink(value)
  for (const key of holders) {
    const inner = own(value, key)
    if (key === 'resource' && isRecord(inner) && typeof inner.text === 'string')
      return [{ type: 'text', text: inner.text }]
    const file = readHeld(inner, value)
    if (file !== undefined) return [file, ...getRest(value, [key, ...pieceKeys])]
  }
  const file = readFile(value)
  if (file === undefined || (isInList && file.type === 'file-url' && own(value, 'type') === undefined)) return undefined
  return [file, ...getRest(value, pieceKeys)]
}

/** The fields in which pieces from MCP, OpenAI, Anthropic, Google and the AI SDK hold their file. */
const holders = [
  'resource',
  'image_url',
  'source',
  'image',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'file',
] as const

/** In nested fields, as an address, or as bytes with their type beside them. */
function readHeld(inner: unknown, around: PieceFields): FilePiece | undefined {
  if (isRecord(inner) && !(inner instanceof Uint8Array)) return readFile(inner, around)
  const isPicture = /image/.test(textIn(around, 'type') ?? '')
  if (typeof inner !== 'string' && !(inner instanceof Uint8Array)) return undefined
  return isPicture ? readFile({ ...around, [isLink(inner) ? 'url' : 'data']: inner }, around) : undefined
}

function isLink(value: unknown): boolean {
  return typeof value === 'string' && (isSafeAddress(value) || value.startsWith('data:'))
}

const typeKeys = ['mediaType', 'mimeType', 'mime_type', 'media_type'] as const
const dataKeys = ['data', 'blob', 'base64', 'file_data'] as const
const urlKeys = ['url', 'fileUri', 'file_uri'] as const
const nameKeys = ['filename', 'name', 'title'] as const
const pieceKeys: readonly string[] = [
  ...['type', ...typeKeys, ...dataKeys, ...urlKeys, ...nameKeys, 'uri', 'encoding'],
  ...[
    'width',
    'height',
    'size',
    'detail',
    'annotations',
    'providerOptions',
    'providerMetadata',
    'cache_control',
    '_meta',
  ],
]

function readFile(fields: PieceFields, around: PieceFields = fields): FilePiece | undefined {
  const data = dataKeys.map(key => own(fields, key)).find(one => one !== undefined)
  if (isRecord(data) && !(data instanceof Uint8Array)) return fields === around ? readTagged(data, around) : undefined
  const url = urlKeys.map(key => textIn(fields, key)).find(one => one !== undefined)
  const mediaType = readMediaType(fields, around)
  const name =
    nameKeys.map(key => textIn(fields, key)).find(one => one !== undefined) ?? getLastSegment(textIn(fields, 'uri'))
  const nameField = name === undefined ? {} : { filename: name }
  if (data instanceof Uint8Array) return readData(encodeBase64(data), mediaType, nameField)
  if (typeof data === 'string' && !data.startsWith('data:')) return readData(data, mediaType, nameField)
  const address = typeof data === 'string' ? data : url
  const file = address === undefined ? undefined : readAddress(address, mediaType ?? guessType(around, address))
  return file && { ...file, ...nameField }
}

/** AI SDK data since version 7: `{ type: 'data' | 'url' | 'text', … }`. */
function readTagged(tagged: PieceFields, around: PieceFields): FilePiece | undefined {
  const { url } = tagged
  const text = textIn(tagged, 'text')
  const data = text === undefined ? own(tagged, 'data') : new TextEncoder().encode(text)
  const fileFields = { data, url: url instanceof URL ? url.href : url }
  const file = readFile(
    Object.fromEntries(Object.entries(fileFields).filter(([, value]) => value !== undefined)),
    around,
  )
  const filename = textIn(around, 'filename')
  return file && (filename === undefined ? file : { ...file, filename })
}

/** Either complete (`image/png`) or only its first half (`image`). */
function readMediaType(fields: PieceFields, around: PieceFields): string | undefined {
  const names = [...typeKeys.map(key => textIn(fields, key)), ...typeKeys.map(key => textIn(around, key))]
  const name = names.find(
    one => one !== undefined && /^(?:[\w.+-]+\/[\w.+*-]+|image|audio|video|text|application)$/.test(one),
  )
  return name === undefined || name.includes('/') ? name : `${name}/*`
}

function guessType(around: PieceFields, address: string): string | undefined {
  const kind = textIn(around, 'type') ?? ''
  if (/image/.test(kind)) return 'image/*'
  if (kind !== 'file-url') return undefined
  return /\.(?:png|jpe?g|gif|webp|avif|svg)(?:[?#]|$)/i.test(address) ? 'image/*' : 'application/octet-stream'
}

function readData(data: string, mediaType: string | undefined, named: { filename?: string }): FilePiece | undefined {
  const type = mediaType === undefined || mediaType.endsWith('/*') ? (pictureType(data) ?? mediaType) : mediaType
  return type === undefined ? undefined : { type: 'file-data', data, mediaType: type, ...named }
}

function readAddress(url: string, mediaType: string | undefined): FilePiece | undefined {
  const head = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[^,;]{0,200})*),/i.exec(url.slice(0, 2000))
  if (head === null)
    return mediaType !== undefined && isSafeAddress(url) ? { type: 'file-url', url, mediaType } : undefined
  const type = head[1] ?? mediaType
  if (type === undefined) return undefined
  const body = url.slice(head[0].length)
  if (/;base64$/i.test(head[2] ?? '')) return { type: 'file-data', data: body, mediaType: type }
  return { type: 'file-data', data: encodeBase64(new TextEncoder().encode(unescapeText(body))), mediaType: type }
}

function unescapeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readLink(link: PieceFields): ContentPiece[] {
  const uri = textIn(link, 'uri') ?? ''
  return [{ type: 'text', text: `[${textIn(link, 'name') ?? uri}](${uri})` }]
}

function getRest(fields: PieceFields, handledKeys: readonly string[]): ContentPiece[] {
  const rest = Object.entries(fields).filter(
    ([key, value]) => !handledKeys.includes(key) && key !== '_meta' && !(key === 'isError' && value === false),
  )
  return rest.length === 0 ? [] : [{ type: 'text', text: toText(Object.fromEntries(rest)) }]
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? String(value)
  } catch {
    return String(value)
  }
}

function getLastSegment(uri: string | undefined): string | undefined {
  return uri === undefined ? undefined : uri.slice(uri.lastIndexOf('/') + 1) || undefined
}

function own(fields: PieceFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function textIn(fields: PieceFields, key: string): string | undefined {
  const value = own(fields, key)
  return typeof value === 'string' ? value : undefined
}
