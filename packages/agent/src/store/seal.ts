import { createHmac, type Hmac } from 'node:crypto'

/** 128 bits, in base64url. */
const LENGTH = 22

/**
 * A running signature over the lines of a log. Each signature covers everything since the previous one, and that one
 * too. Only a process with the key can write a line that fits.
 */
export class Seal {
  readonly #key: Uint8Array
  #hmac: Hmac

  /** `last` is the signature to continue from. */
  constructor(key: Uint8Array, last = '') {
    this.#key = key
    this.#hmac = createHmac('sha256', key).update(last)
  }

  add(text: string): void {
    this.#hmac.update(text).update('\n')
  }

  /** Signs everything added so far. Lines added later belong to the next signature. */
  sign(): string {
    const signature = this.#hmac.digest('base64url').slice(0, LENGTH)
    this.#hmac = createHmac('sha256', this.#key).update(signature)
    return signature
  }
}

export function signText(key: Uint8Array, text: string): string {
  const seal = new Seal(key)
  seal.add(text)
  return seal.sign()
}

/**
 *     {"o":1,"t":2,"chunk":{…},"m":"signature"}
 *                             ^
 *
 * Splits a line into the part that its signature covers and the signature. The chunk ends with its own brace, so
 * nothing inside it can look like a signature.
 */
export function splitSigned(line: string): { covered: string; signature: string | undefined } {
  const match = /,"m":"([\w-]{22})"\}$/.exec(line)
  if (match === null) return { covered: line, signature: undefined }
  return { covered: line.slice(0, match.index), signature: match[1]! }
}
