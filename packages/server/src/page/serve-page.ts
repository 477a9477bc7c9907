import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { notFound } from '../guard/problem.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
}

/** Only content from this server, and no inline scripts or styles. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A malformed address becomes empty, which matches nothing. */
function tryDecode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}

/**
 * The playground without its final slash. Its links are relative, so it is redirected to the address with the slash.
 */
const missingSlash = /^\/playground$/

/** A file of the page. Files with a hash in their name never change. Others are revalidated each time. */
export async function servePage(folder: string, path: string, request: Request): Promise<Response> {
  // Relative, so that it works with a proxy in front under any path.
  if (missingSlash.test(path)) return new Response(null, { status: 308, headers: { location: `${path.slice(1)}/` } })
  const name = tryDecode(path.endsWith('/') ? `${path.slice(1)}index.html` : path.slice(1))
  const type = types[extname(name)]
  const root = await realpath(folder)
  const file = await realpath(join(root, name)).catch(() => undefined)
  if (type === undefined || file === undefined || !file.startsWith(`${root}${sep}`)) throw notFound('such page')
  const bytes = await readFile(file)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const headers = {
    'content-type': type,
    'content-security-policy': policy,
    'cache-control': /-[\w-]{8}\.\w+$/.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
  }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : bytes, { headers })
}
