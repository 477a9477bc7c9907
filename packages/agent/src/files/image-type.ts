import { quoted } from '../words/quoted.ts'
import { startsWith } from './decode-text.ts'
import { SourceError } from './source-error.ts'

const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** Detects an image's type from its bytes. Rejects everything but PNG, JPEG, GIF and WebP: models take no others. */
export function imageType(bytes: Buffer, name: string): string {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg'
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif'
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp'
  const start = bytes.toString('utf8', 0, 4096)
  if (/^\ufeff?\s*</.test(start) && /<svg[\s>]/i.test(start)) {
    const message = `${quoted(name)} is an SVG drawing, which models do not take as an image.`
    throw new SourceError('CHATMD_NOT_AN_IMAGE', message, 'Convert it to PNG, or insert its source with `<doc>`.')
  }
  const message = `${quoted(name)} is not a PNG, JPEG, GIF or WebP image.`
  throw new SourceError('CHATMD_NOT_AN_IMAGE', message, 'Convert the image, or insert text with `<doc>`.')
}

/** The type of an image that is not fetched: from the address's extension, or `image/*` if that says nothing. */
export function guessImageType(url: URL): string {
  const extension = /\.([a-z]+)$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPE_BY_EXTENSION, extension) ? TYPE_BY_EXTENSION[extension]! : 'image/*'
}
