import { isNameCode } from '../../tool-names.ts'
import type { Marker } from '../marker.ts'

/** `<arg_value>` of `<arg_key>{name}</arg_key>\n<arg_value>`. */
export function getLastTag(marker: Marker): string {
  return marker.slice(marker.lastIndexOf('<'))
}

export function repeatsOpener(open: Marker, key: string, value: string): boolean {
  const [before = '', after = ''] = open.split('{name}')
  const start = value.trimStart()
  if (start.startsWith(before + key) || (after.includes('<') && start.startsWith(getLastTag(after)))) return true
  const ownOpener = getLastTag(before) + key + after
  return ownOpener.startsWith('<') && start.startsWith(ownOpener) && !start.includes(`</${ownOpener.slice(1)}`)
}

/**
 * True for a value that begins, right after its tag, as if the tag's end were doubled, or ends as if the closing tag's
 * start were: `<parameter=city>>Dallas<</parameter>`. A `]` of MiniMax's token is one too many only if the value hasn't
 * opened it.
 */
export function hasExtraBracket(value: string, touches: { start: boolean; end: boolean }, closing = '<'): boolean {
  if (touches.start && /^>(?:[\p{L}\p{N}["'{[(<$./-]|\s*\n|$)/u.test(value)) return true
  const first = closing.charAt(0)
  if (!touches.end || !value.endsWith(first)) return false
  return first === '<' || (first === ']' && hasUnopenedBracket(value))
}

/**
 * True for text in a bracketed escape such as CDATA that begins with an unclosed bracket right after the opening, or
 * ends with an unopened one right before the end: `<![CDATA[[Dallas]]>`, `<![CDATA[Dallas]]]>`.
 */
export function hasExtraEscapeBracket(value: string, touches: { start: boolean; end: boolean }): boolean {
  if (touches.end && value.endsWith(']') && hasUnopenedBracket(value)) return true
  return touches.start && value.startsWith('[') && hasUnopenedBracket(mirror(value))
}

function mirror(value: string): string {
  return [...value]
    .reverse()
    .join('')
    .replaceAll(/[[\]]/g, bracket => (bracket === '[' ? ']' : '['))
}

/** True for an escape with a missing, doubled or misplaced character: `<![[CDATA[Dallas]]>`. */
export function isBrokenEscape(value: string): boolean {
  const plain = value.trim()
  return plain.endsWith(']]>') && /^(?:<!\[|<\[|!\[|.{0,4}CDATA)/i.test(plain)
}

function hasUnopenedBracket(value: string): boolean {
  let open = 0
  for (const character of value) {
    if (character === '[') open++
    else if (character === ']' && --open < 0) return true
  }
  return false
}

/** True for a value with a closing tag whose last character is misplaced: `Dallas</parameter<>parameter=state>TX`. */
export function hasBrokenClosing(value: string, closing: string): boolean {
  return closing.endsWith('>') && closing.length > 3 && value.includes(`${closing.slice(0, -1)}<`)
}

/** True for a value that ends with a closing tag for something it didn't open: `Dallas</parmeter>`. */
export function endsWithStrayClosing(value: string): boolean {
  const [, name] = /<\/([\w:.-]+)>\s*$/.exec(value.slice(-MAX_TAG)) ?? []
  return name !== undefined && !value.includes(`<${name}`)
}

const MAX_TAG = 80

/** Matches what can only be meant as a parameter's opener: `<paramter=state>`, `<paramter name="state">`. */
const misspelledOpener = /<\w+=\s*["']?([\w.-]+)["']?\s*>|<p\w{3,}\s+name=["']([\w.-]+)["']\s*>/g

/** Finds broken parameter openers: `<parameterparameter name="state">`, `parameter=state>`. */
export class GarbledTags {
  readonly #words: readonly string[]

  constructor(opens: readonly Marker[]) {
    const words = opens.map(open => /[A-Za-z_]{4,}/.exec(open.split('{name}', 1)[0] ?? '')?.[0] ?? '')
    this.#words = [...new Set(words)].filter(word => word !== '')
  }

  /** The names of the parameters they may have opened. */
  findNames(text: string): string[] {
    const misspelledOpeners = this.#words.length === 0 ? [] : text.matchAll(misspelledOpener)
    const names = Array.from(misspelledOpeners, ([, afterSign, inQuotes = '']) => afterSign ?? inQuotes)
    return names.concat(this.#words.flatMap(word => this.#namesAfter(word, text)))
  }

  /** Scans a few characters after each occurrence of the word, so even a text made of that word is read about once. */
  #namesAfter(word: string, text: string): string[] {
    const names: string[] = []
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const after = text.slice(at + word.length, at + word.length + SCANNED_LENGTH)
      const name = findNameBefore(after, after.indexOf('>')) ?? quotedName.exec(after)?.[1]
      if (name !== undefined) names.push(name)
    }
    return names
  }
}

const MAX_NAME_START = 24
const SCANNED_LENGTH = 120
const quotedName = /^[^>\n]{0,24}?["'=]\s{0,4}([\w.-]{1,64})["'\s]/

/** The name that ends at `end`, ignoring spaces and quotes. */
function findNameBefore(text: string, end: number): string | undefined {
  let stop = end
  while (stop > 0 && /["'\s]/.test(text.charAt(stop - 1))) stop--
  let start = stop
  while (start > 0 && isNameCode(text.charCodeAt(start - 1))) start--
  if (start >= stop || start > MAX_NAME_START || text.slice(0, start).includes('\n')) return undefined
  return text.slice(start, stop)
}
