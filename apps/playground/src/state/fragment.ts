/** The contents of a link, all of it after `#`, which browsers never send to a server. */
export interface Shared {
  text: string
  syntax?: string | undefined
  /** The tools as JSON, exactly as typed. */
  tools?: string | undefined
}

/** Chat apps and mail programs cut longer links. */
export const LONGEST_LINK = 32_000
/** The most that a link may unpack to, in characters. */
export const LONGEST_SHARED = 2_000_000
/** Up to this length, a fragment stays readable. */
const PLAIN = 400

/** `#text=…&syntax=…&tools=…`, or the same compressed: `#z=…`. Undefined if that is too long for a link. */
export async function writeFragment(shared: Shared): Promise<string | undefined> {
  if (shared.text.length + (shared.tools?.length ?? 0) > LONGEST_SHARED) return undefined
  const fields = new URLSearchParams({ text: shared.text })
  if (shared.syntax !== undefined && shared.syntax !== 'auto') fields.set('syntax', shared.syntax)
  if (shared.tools !== undefined && shared.tools.trim() !== '') fields.set('tools', shared.tools)
  const plain = fields.toString()
  if (plain.length <= PLAIN) return `#${plain}`
  const packed = `#z=${toBase64(await deflate(plain))}`
  return packed.length <= LONGEST_LINK ? packed : undefined
}

export async function readFragment(fragment: string): Promise<Shared | undefined> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const packed = fields.get('z')
  if (packed === null) return toShared(fields)
  try {
    return toShared(new URLSearchParams(await inflate(fromBase64(packed))))
  } catch {
    return undefined
  }
}

function toShared(fields: URLSearchParams): Shared | undefined {
  const text = fields.get('text')
  if (text === null || text.length > LONGEST_SHARED) return undefined
  return { text, syntax: fields.get('syntax') ?? undefined, tools: fields.get('tools') ?? undefined }
}

async function deflate(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Unpacks no more than a link may hold: a few bytes can expand to gigabytes. */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    // Escaping (`%20`) turns one character into three.
    if (text.length > LONGEST_SHARED * 3) {
      await reader.cancel()
      throw new Error('The unpacked link is too long.')
    }
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, character => character.charCodeAt(0))
}
