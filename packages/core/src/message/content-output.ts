/** One piece of an output that is more than text. `data` is base64; a `url` is one of the web, or of the page. */
export type ContentPiece =
  | { type: 'text'; text: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string | undefined }
  | { type: 'file-url'; url: string; mediaType: string; filename?: string | undefined }

/** An output of a tool with pictures or other files in it, in the shape that the AI SDK gives such outputs. */
export interface ContentOutput {
  type: 'content'
  value: readonly ContentPiece[]
}

/** An output that has this shape already, with a file in it; undefined for any other. `readContent` reads all shapes. */
export function contentOutput(output: unknown): ContentOutput | undefined {
  if (typeof output !== 'object' || output === null) return undefined
  const { type, value } = output as { type?: unknown; value?: unknown }
  if (type !== 'content' || !Array.isArray(value) || !value.every(isPiece)) return undefined
  return value.some(piece => piece.type !== 'text') ? (output as ContentOutput) : undefined
}

/**
 * What it says in words: its texts, and a note where a file is. Pictures have numbers in the order in which they are
 * attached, after those of other results that are attached `before`; none is attached for a model that is blind.
 */
export function contentText({ value }: ContentOutput, before: number, isBlind: boolean): string {
  let pictures = before
  const texts = value.map(piece => {
    if (piece.type === 'text') return piece.text
    const name = piece.filename === undefined ? '' : `, ${piece.filename}`
    if (piece.type === 'file-url') return `[file${name}: ${piece.mediaType}, at ${piece.url}]`
    const type = pictureType(piece.data)
    if (type === undefined) return `[file${name}: ${piece.mediaType}, kept but not shown: it is not a picture]`
    if (isBlind) return `[file${name}: ${type}, kept but not shown: this model takes no pictures]`
    pictures++
    return `[file ${pictures}${name}: ${type}, attached]`
  })
  return texts.join('\n')
}

/**
 * The type of a picture that every model takes which can see, by its first bytes and not by what somebody says of it:
 * providers refuse a whole conversation for one file that they do not take.
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
  if (type === 'file-url') return typeof url === 'string' && isAddress(url)
  return type === 'file-data' && typeof data === 'string' && !data.startsWith('data:')
}

/** Whether a file may be at this address: nothing that runs, and nothing of this disk. */
export function isAddress(url: string): boolean {
  return /^(?:https?:\/\/|blob:)/i.test(url)
}
