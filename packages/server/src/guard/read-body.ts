import { Problem } from './problem.ts'

/** Reads a body up to a limit, whatever its headers say of it. */
export async function readBody(request: Request, most: number): Promise<string> {
  const tooLong = new Problem(413, 'SERVER_BODY_TOO_LONG', `A request may have at most ${most} bytes.`, {
    more: { most },
  })
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > most) throw tooLong
  if (request.body === null) return ''
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Problem(400, 'SERVER_BAD_BODY', 'The body of the request ended too early.')
    })
    if (done) break
    size += value.byteLength
    if (size > most) {
      await reader.cancel().catch(() => {})
      throw tooLong
    }
    pieces.push(value)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
  } catch {
    throw new Problem(400, 'SERVER_BAD_BODY', 'The body of the request is not UTF-8.')
  }
}

/** Reads a body of JSON. Only with its own content type: a form of another site cannot send that. */
export async function readJson(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, 'SERVER_NOT_JSON', 'Send JSON with `content-type: application/json`.')
  }
  const text = await readBody(request, most)
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem(400, 'SERVER_BAD_BODY', 'The body of the request is not JSON.')
  }
}
