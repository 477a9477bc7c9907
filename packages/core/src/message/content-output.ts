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

/** What it says in words: its texts, and a note where a file stands. */
export function contentText({ value }: ContentOutput): string {
  let files = 0
  const said = value.map(piece => {
    if (piece.type === 'text') return piece.text
    files++
    const type = pictureType(piece.data)
    const what = type === undefined ? `${piece.mediaType}, kept and not shown: it is no picture` : `${type}, attached`
    return `[file ${files}${piece.filename === undefined ? '' : `, ${piece.filename}`}: ${what}]`
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
