/**
 * The file in a data URI, in base64; undefined for other addresses. The type is `mediaType`, unless that is only a range
 * such as `image/*`.
 */
export function readDataUri(url: string, mediaType: string): { mimeType: string; data: string } | undefined {
  const [head, type = '', options = ''] = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(url) ?? []
  if (head === undefined) return undefined
  const bytes = decodePercent(url.slice(head.length))
  const isBase64 = /;\s*base64\s*$/i.test(options)
  const isRange = mediaType === '' || mediaType.includes('*')
  return {
    mimeType: isRange ? type.trim() || 'text/plain' : mediaType,
    data: (isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes).toString('base64'),
  }
}

/** A percent sign that escapes nothing stays. */
function decodePercent(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (!text.includes('%')) return bytes
  const decoded = bytes
    .toString('latin1')
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(decoded, 'latin1')
}
