/** `data` is base64. A `url` is on the web or in the page. */
export type ContentPiece =
  | { type: 'text'; text: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string | undefined }
  | { type: 'file-url'; url: string; mediaType: string; filename?: string | undefined }

/** The AI SDK's shape for outputs with pictures or other files. */
export interface ContentOutput {
  type: 'content'
  value: readonly ContentPiece[]
}

/** Undefined unless the output already has this shape and contains a file. `readContent` reads all shapes. */
export function matchContentOutput(output: unknown): ContentOutput | undefined {
  if (typeof output !== 'object' || output === null) return undefined
  const { type, value } = output as { type?: unknown; value?: unknown }
  if (type !== 'content' || !Array.isArray(value) || !value.every(isPiece)) return undefined
  return value.some(piece => piece.type !== 'text') ? (output as ContentOutput) : undefined
}

/**
 * The texts, and a note for each file. Pictures are numbered in the order in which they are attached, after those of
 * other results. For a model without vision, none is attached.
 */
export function contentText({ value }: ContentOutput, picturesBefore: number, lacksVision: boolean): string {
  let pictures = picturesBefore
  const texts = value.map(piece => {
    if (piece.type === 'text') return piece.text
    const name = piece.filename === undefined ? '' : `, ${piece.filename}`
    if (piece.type === 'file-url') return `[file${name}: ${piece.mediaType}, at ${piece.url}]`
    const type = pictureType(piece.data)
    if (type === undefined) return `[file${name}: ${piece.mediaType}, kept but not shown: it is not an image]`
    if (lacksVision) return `[file${name}: ${type}, kept but not shown: this model doesn't accept images]`
    pictures++
    return `[file ${pictures}${name}: ${type}, attached]`
  })
  return texts.join('\n')
}

/**
 * Only types that every model with vision accepts, from the first bytes instead of the declared type: providers reject
 * a whole conversation because of one file that they don't accept.
 */
export function pictureType(base64: string): string | undefined {
  if (base64.startsWith('iVBORw0KGgo')) return 'image/png'
  if (base64.startsWith('/9j/')) return 'image/jpeg'
  if (/^R0lGOD[dl]h/.test(base64)) return 'image/gif'
  return /^UklGR.{6}XRUJQ/.test(base64.slice(0, 16)) ? 'image/webp' : undefined
}

function isPiece(piece: unknown): piece is ContentPiece {
  if (typeof piece !== 'object' || piece === null) return false
  const { type, text, data, url, mediaType, filename } = piece as Record<string, unknown>
  if (type === 'text') return typeof text === 'string'
  if (typeof mediaType !== 'string' || (filename !== undefined && typeof filename !== 'string')) return false
  if (type === 'file-url') return typeof url === 'string' && isSafeAddress(url)
  return type === 'file-data' && typeof data === 'string' && !data.startsWith('data:')
}

/** Such an address can't run code or read this disk. */
export function isSafeAddress(url: string): boolean {
  return /^(?:https?:\/\/|blob:)/i.test(url)
}
