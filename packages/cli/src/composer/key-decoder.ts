import { StringDecoder } from 'node:string_decoder'
import { endsInHalf } from '@argot/core/stream/internal'
import { type Key, plainKey } from './key.ts'

const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'
/** Terminals send nothing longer. Anything longer isn't a key. */
const LONGEST_SEQUENCE = 64

const finalKeys: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'begin',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  Z: 'tab',
}

const numberedKeys: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
}

const keysByCode: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  10: 'enter',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter',
}

/**
 * Turns a terminal's bytes into keys: plain bytes, CSI and SS3 sequences, `CSI u`, `modifyOtherKeys` and bracketed
 * pastes. The keys don't depend on how the bytes are split. A lone Escape is only certain if nothing follows: call
 * `flush`.
 */
export class KeyDecoder {
  readonly #utf8 = new StringDecoder('utf8')
  #held = ''
  #paste: string[] | undefined

  get isWaiting(): boolean {
    return this.#held !== '' && this.#paste === undefined
  }

  push(bytes: Uint8Array | string): Key[] {
    this.#held += typeof bytes === 'string' ? bytes : this.#utf8.write(Buffer.from(bytes))
    return this.#read(false)
  }

  /** Nothing followed for a while, so the pending bytes are complete. */
  flush(): Key[] {
    return this.#paste === undefined ? this.#read(true) : []
  }

  #read(isEnd: boolean): Key[] {
    const keys: Key[] = []
    let at = 0
    while (at < this.#held.length) {
      if (this.#paste !== undefined) {
        const end = this.#readPaste(at, keys)
        if (end === undefined) return keys
        at = end
        continue
      }
      const next = readKey(this.#held, at, isEnd)
      if (next === undefined) break
      if (next.key === 'paste') this.#paste = []
      else if (next.key !== undefined) keys.push(next.key)
      at = next.end
    }
    this.#held = this.#held.slice(at)
    return keys
  }

  #readPaste(at: number, keys: Key[]): number | undefined {
    const end = this.#held.indexOf(PASTE_END, at)
    if (end === -1) {
      // The end marker may be split.
      const safe = Math.max(at, this.#held.length - PASTE_END.length + 1)
      this.#paste!.push(this.#held.slice(at, safe))
      this.#held = this.#held.slice(safe)
      return undefined
    }
    this.#paste!.push(this.#held.slice(at, end))
    keys.push(plainKey('paste', { text: this.#paste!.join('') }))
    this.#paste = undefined
    return end + PASTE_END.length
  }
}

interface DecodedKey {
  /** Undefined for a sequence that isn't a key, such as a terminal's reply. */
  key: Key | 'paste' | undefined
  end: number
}

/** Undefined if more bytes are needed. */
function readKey(text: string, at: number, isEnd: boolean): DecodedKey | undefined {
  if (text[at] !== '\x1b') return readPlain(text, at, isEnd)
  const second = text[at + 1]
  if (second === undefined) return isEnd ? { key: plainKey('escape'), end: at + 1 } : undefined
  if (second === '[') return readCsi(text, at, isEnd)
  if (second === 'O') return readSs3(text, at, isEnd)
  if (second === '\x1b') {
    // Escape pressed twice, or Alt with a sequence: the first byte is a separate Escape.
    return { key: plainKey('escape'), end: at + 1 }
  }
  const inner = readPlain(text, at + 1, isEnd)
  if (inner === undefined || inner.key === undefined || inner.key === 'paste') return inner
  return { key: { ...withoutText(inner.key), alt: true }, end: inner.end }
}

function readPlain(text: string, at: number, isEnd: boolean): DecodedKey | undefined {
  const code = text.codePointAt(at)!
  if (text.length === at + 1 && endsInHalf(text) && !isEnd) return undefined
  const character = String.fromCodePoint(code)
  const end = at + character.length
  if (code === 0) return { key: plainKey(' ', { ctrl: true }), end }
  const name = keysByCode[code]
  // Ctrl-J sends a lone line feed.
  if (code === 10) return { key: plainKey('j', { ctrl: true }), end }
  if (name !== undefined) return { key: plainKey(name), end }
  if (code < 27) return { key: plainKey(String.fromCharCode(code + 96), { ctrl: true }), end }
  if (code < 32) return { key: plainKey(String.fromCharCode(code + 64).toLowerCase(), { ctrl: true }), end }
  if (code >= 0x80 && code < 0xa0) return { key: undefined, end }
  return { key: plainKey(character, { text: character }), end }
}

function readCsi(text: string, at: number, isEnd: boolean): DecodedKey | undefined {
  const match = /^\x1b\[([\x30-\x3f]*)([\x20-\x2f]*)([\x40-\x7e])/.exec(text.slice(at, at + LONGEST_SEQUENCE))
  if (match === null) {
    const length = /^[\x20-\x3f]*/.exec(text.slice(at + 2, at + LONGEST_SEQUENCE))![0].length + 2
    const isOpen = at + length === text.length && length < LONGEST_SEQUENCE
    if (isOpen && !isEnd) return undefined
    return { key: isOpen && length === 2 ? plainKey('[', { alt: true }) : undefined, end: at + length }
  }
  const [whole, parameters = '', , final = ''] = match
  const end = at + whole.length
  if (whole === PASTE_START) return { key: 'paste', end }
  // A sequence that begins with `?`, `>` or `<` is the reply to a query.
  if (/^[?<=>]/.test(parameters)) return { key: undefined, end }
  return { key: toKey(parameters, final), end }
}

function readSs3(text: string, at: number, isEnd: boolean): DecodedKey | undefined {
  const final = text[at + 2]
  if (final === undefined) return isEnd ? { key: plainKey('O', { alt: true }), end: at + 2 } : undefined
  const name = final === 'M' ? 'enter' : finalKeys[final]
  return { key: name === undefined ? undefined : plainKey(name), end: at + 3 }
}

/** The key of a CSI sequence: `1;5A`, `3~`, `13;2u`, `27;2;13~`. */
function toKey(parameters: string, final: string): Key | undefined {
  const fields = parameters.split(';').map(field => field.split(':'))
  const number = (index: number, sub = 0): number | undefined => {
    const text = fields[index]?.[sub] ?? ''
    return text === '' ? undefined : Number(text)
  }
  // Ignore key releases.
  if (number(1, 1) === 3) return undefined
  if (final === 'u') return fromCode(number(0) ?? 0, number(1) ?? 1)
  if (final === '~') {
    if (number(0) === 27 && number(2) !== undefined) return fromCode(number(2)!, number(1) ?? 1)
    const name = numberedKeys[number(0) ?? 0]
    return name === undefined ? undefined : withModifiers(plainKey(name), number(1) ?? 1)
  }
  const name = finalKeys[final]
  if (name === undefined) return undefined
  return withModifiers(plainKey(name, final === 'Z' ? { shift: true } : {}), number(1) ?? 1)
}

function fromCode(code: number, modifiers: number): Key | undefined {
  const name = keysByCode[code]
  if (name !== undefined) return withModifiers(plainKey(name), modifiers)
  // Kitty's own keys, such as lone modifiers, are in a private-use area.
  if (code < 32 || (code >= 0x7f && code < 0xa0) || (code >= 57344 && code <= 63743) || code > 0x10ffff)
    return undefined
  const character = String.fromCodePoint(code)
  if (!character.isWellFormed()) return undefined
  const key = withModifiers(plainKey(character), modifiers)
  if (key.ctrl || key.alt) return { ...key, name: character.toLowerCase() }
  const shiftedCharacter = key.shift ? character.toUpperCase() : character
  return { ...key, name: shiftedCharacter, text: shiftedCharacter }
}

function withModifiers(key: Key, parameter: number): Key {
  const bits = Math.max(0, parameter - 1)
  return {
    ...key,
    shift: key.shift || (bits & 1) !== 0,
    alt: (bits & 2) !== 0,
    ctrl: (bits & 4) !== 0,
  }
}

function withoutText({ text: _, ...key }: Key): Key {
  return key
}
