import { isNameCode } from '../../tool-names.ts'
import type { Marker } from '../marker.ts'

/** The last tag of a marker: `<arg_value>`. */
export function lastTag(marker: Marker): string {
  return marker.slice(marker.lastIndexOf('<'))
}

/** The value of a parameter begins with what should only be before it. */
export function isDoubled(open: Marker, key: string, value: string): boolean {
  const [before = '', after = ''] = open.split('{name}')
  const start = value.trimStart()
  if (start.startsWith(before + key) || (after.includes('<') && start.startsWith(lastTag(after)))) return true
  const own = lastTag(before) + key + after
  return own.startsWith('<') && start.startsWith(own) && !start.includes(`</${own.slice(1)}`)
}

/**
 * True for a value that begins, right after its tag, as if that ended twice, or ends, right before its tag, as if that began
 * twice: `<parameter=city>>Dallas<</parameter>`. A bracket of MiniMax's token counts where the value has not opened it.
 */
export function hasBracketTooMany(value: string, beside: { start: boolean; end: boolean }, closing = '<'): boolean {
  if (beside.start && /^>(?:[\p{L}\p{N}["'{[(<$./-]|\s*\n|$)/u.test(value)) return true
  const first = closing.charAt(0)
  if (!beside.end || !value.endsWith(first)) return false
  return first === '<' || (first === ']' && isOpenedLessOften(value))
}

/**
 * True for what is in an escape of brackets, as CDATA is, and begins right after it with a bracket that it does not
 * close, or ends right before its end with one that it has not opened: `<![CDATA[[Dallas]]>`, `<![CDATA[Dallas]]]>`.
 */
export function hasEscapeBracketTooMany(value: string, beside: { start: boolean; end: boolean }): boolean {
  if (beside.end && value.endsWith(']') && isOpenedLessOften(value)) return true
  return beside.start && value.startsWith('[') && isOpenedLessOften(mirrored(value))
}

/** The text from its end, with its brackets turned. */
function mirrored(value: string): string {
  return [...value]
    .reverse()
    .join('')
    .replaceAll(/[[\]]/g, bracket => (bracket === '[' ? ']' : '['))
}

/** True for a value that is an escape with a character lost, doubled or out of place: `<![[CDATA[Dallas]]>`. */
export function isBrokenEscape(value: string): boolean {
  const plain = value.trim()
  return plain.endsWith(']]>') && /^(?:<!\[|<\[|!\[|.{0,4}CDATA)/i.test(plain)
}

function isOpenedLessOften(value: string): boolean {
  let open = 0
  for (const character of value) {
    if (character === '[') open++
    else if (character === ']' && --open < 0) return true
  }
  return false
}

/** True for a value with a closing tag in it whose last character is out of place: `Dallas</parameter<>parameter=state>TX`. */
export function hasBrokenClosing(value: string, closing: string): boolean {
  return closing.endsWith('>') && closing.length > 3 && value.includes(`${closing.slice(0, -1)}<`)
}

/** True for a value that ends with a closing tag of something that it has not opened: `Dallas</parmeter>`. */
export function endsWithStrayClosing(value: string): boolean {
  const [, name] = /<\/([\w:.-]+)>\s*$/.exec(value.slice(-MAX_TAG)) ?? []
  return name !== undefined && !value.includes(`<${name}`)
}

/** How long a closing tag may be that is looked for at the end of a value. */
const MAX_TAG = 80

/** What can only be meant as the opener of a parameter: `<paramter=state>`, `<paramter name="state">`. */
const misspeltOpener = /<\w+=\s*["']?([\w.-]+)["']?\s*>|<p\w{3,}\s+name=["']([\w.-]+)["']\s*>/g

/** Finds the openers of parameters that a text has in a broken form: `<parameterparameter name="state">`, `parameter=state>`. */
export class GarbledTags {
  readonly #words: readonly string[]

  constructor(opens: readonly Marker[]) {
    const words = opens.map(open => /[A-Za-z_]{4,}/.exec(open.split('{name}', 1)[0] ?? '')?.[0] ?? '')
    this.#words = [...new Set(words)].filter(word => word !== '')
  }

  /** The names of the parameters that they may have opened. */
  names(text: string): string[] {
    const misspelt = this.#words.length === 0 ? [] : text.matchAll(misspeltOpener)
    const names = Array.from(misspelt, ([, afterSign, inQuotes = '']) => afterSign ?? inQuotes)
    return names.concat(this.#words.flatMap(word => this.#namesAfter(word, text)))
  }

  /** Looks at a few characters after each place of the word, so that a text made of it is read about once. */
  #namesAfter(word: string, text: string): string[] {
    const names: string[] = []
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const after = text.slice(at + word.length, at + word.length + FAR)
      const name = nameBefore(after, after.indexOf('>')) ?? quotedName.exec(after)?.[1]
      if (name !== undefined) names.push(name)
    }
    return names
  }
}

/** How far after its word the name of a parameter may begin, and how much is looked at. */
const NEAR = 24
const FAR = 120
const quotedName = /^[^>\n]{0,24}?["'=]\s{0,4}([\w.-]{1,64})["'\s]/

/** The name that ends at `end`, but for blanks and quotes. */
function nameBefore(text: string, end: number): string | undefined {
  let stop = end
  while (stop > 0 && /["'\s]/.test(text.charAt(stop - 1))) stop--
  let start = stop
  while (start > 0 && isNameCode(text.charCodeAt(start - 1))) start--
  if (start >= stop || start > NEAR || text.slice(0, start).includes('\n')) return undefined
  return text.slice(start, stop)
}
