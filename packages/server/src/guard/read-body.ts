import { Problem } from './problem.ts'

/** Reads a text body up to a limit, whatever its headers say. */
export async function readBody(request: Request, most: number): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readBytes(request, most))
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(400, 'SERVER_BAD_BODY', 'The request body is not UTF-8.')
  }
}

export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const tooLongProblem = new Problem(413, 'SERVER_BODY_TOO_LONG', `A request may have at most ${most} bytes.`, {
    more: { most },
  })
  const declaredBytes = Number(request.headers.get('content-length') ?? 0)
  if (declaredBytes > most) throw tooLongProblem
  if (request.body === null) return new Uint8Array()
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Problem(400, 'SERVER_BAD_BODY', 'The request body ended too early.')
    })
    if (done) break
    size += value.byteLength
    if (size > most) {
      await reader.cancel().catch(() => {})
      throw tooLongProblem
    }
    pieces.push(value)
  }
  return Buffer.concat(pieces)
}

/** Deeper than any of our messages. Deeper bodies could overflow the stack. */
const MOST_LEVELS = 200

/** The cost of parsing and checking depends more on values than on bytes: 16 MiB of `{},` would block for seconds. */
const MOST_VALUES = 250_000

/** Reads a JSON body. Requires the JSON content type, which another site's form can't send. No body is `{}`. */
export async function readJson(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type')
  const isJson = type !== null && /^application\/json\s*(;|$)/i.test(type)
  if (!isJson && (type !== null || !(await isEmpty(request)))) {
    throw new Problem(415, 'SERVER_NOT_JSON', 'Send JSON with `content-type: application/json`.')
  }
  const text = isJson ? await readBody(request, most) : ''
  if (text === '') return {}
  const { levels, values } = measure(text)
  if (levels > MOST_LEVELS) {
    throw new Problem(400, 'SERVER_BAD_BODY', `The request body has more than ${MOST_LEVELS} levels.`)
  }
  if (values > MOST_VALUES) {
    const message = `The request body has more than ${MOST_VALUES} values.`
    throw new Problem(413, 'SERVER_BODY_TOO_LONG', message, { more: { most: MOST_VALUES } })
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem(400, 'SERVER_BAD_BODY', 'The request body is not JSON.')
  }
}

/** A body without a type is only read to see whether it exists. */
async function isEmpty({ body }: Request): Promise<boolean> {
  if (body === null) return true
  const reader = body.getReader()
  const { done } = await reader.read().catch(() => ({ done: false }))
  if (!done) await reader.cancel().catch(() => {})
  return done
}

/** The nesting depth of lists and objects, and roughly how many values there are. Works on any text. */
function measure(text: string): { levels: number; values: number } {
  let level = 0
  let levels = 0
  let values = 1
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = findStringEnd(text, index + 1)
        break
      case LIST:
      case OBJECT:
        level++
        values++
        if (level > levels) levels = level
        break
      case LIST_END:
      case OBJECT_END:
        level--
        break
      case COMMA:
        values++
        break
      default:
    }
  }
  return { levels, values }
}

const QUOTE = 34
const COMMA = 44
const LIST = 91
const BACKSLASH = 92
const LIST_END = 93
const OBJECT = 123
const OBJECT_END = 125

function findStringEnd(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const letter = text.charCodeAt(index)
    if (letter === BACKSLASH) index++
    else if (letter === QUOTE) return index
  }
  return text.length
}
