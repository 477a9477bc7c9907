/** One piece of an output that is more than text. `data` is base64. */
export type ContentPiece =
  | { type: 'text'; text: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string | undefined }

/** An output of a tool with pictures or other files in it, in the shape that the AI SDK gives such outputs. */
export interface ContentOutput {
  type: 'content'
  value: readonly ContentPiece[]
}

/** The output of a tool as one with files; undefined for any other output, and for one without a file. */
export function asContentOutput(output: unknown): ContentOutput | undefined {
  if (typeof output !== 'object' || output === null) return undefined
  const { type, value } = output as { type?: unknown; value?: unknown }
  if (type !== 'content' || !Array.isArray(value) || !value.every(isPiece)) return undefined
  return value.some(piece => piece.type === 'file-data') ? (output as ContentOutput) : undefined
}

/**
 * What it says in words: its texts, and a note where a file is. Pictures have numbers in the order in which they are
 * attached, after those of other results that are attached `before`; none is attached for a model that is blind.
 */
export function contentText({ value }: ContentOutput, before: number, isBlind: boolean): string {
  let pictures = before
  const said = value.map(piece => {
    if (piece.type === 'text') return piece.text
    const type = pictureType(piece.data)
    const name = piece.filename === undefined ? '' : `, ${piece.filename}`
    if (type === undefined) return `[file${name}: ${piece.mediaType}, kept but not shown: it is not a picture]`
    if (isBlind) return `[file${name}: ${type}, kept but not shown: this model takes no pictures]`
    pictures++
    return `[file ${pictures}${name}: ${type}, attached]`
  })
  return said.join('\n')
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
  const { type, text, data, mediaType, filename } = piece as Record<string, unknown>
  if (type === 'text') return typeof text === 'string'
  const isNamed = filename === undefined || typeof filename === 'string'
  return type === 'file-data' && typeof data === 'string' && typeof mediaType === 'string' && isNamed
}
