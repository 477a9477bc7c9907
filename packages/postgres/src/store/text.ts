import { ArgotError } from '@argot/core'

const utf8: TextDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws for a path that is empty or too long, or has a zero character, which PostgreSQL can't store. */
export function checkPath(path: string): void {
  if (path !== '' && !path.includes('\0') && path.length <= 1024) return
  throw Object.assign(new Error("A document's name must have 1 to 1,024 characters, without a null character."), {
    code: 'EINVAL',
  })
}

/** Argot writes only text here, but `argot copy` accepts any bytes. */
export function decodeDocument(path: string, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ArgotError('CHATMD_BAD_ENCODING', `\`${path}\` is not UTF-8 text.`)
  }
}
