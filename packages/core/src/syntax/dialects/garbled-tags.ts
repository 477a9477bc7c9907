import type { Marker } from './marker.ts'

/** The last tag of a marker: `<arg_value>`. */
export function lastTag(marker: Marker): string {
  return marker.slice(marker.lastIndexOf('<'))
}

/** The value of a parameter begins with what should only stand before it. */
export function isDoubled(open: Marker, key: string, value: string): boolean {
  const [before = '', after = ''] = open.split('{name}')
  const start = value.trimStart()
  if (start.startsWith(before + key) || (after.includes('<') && start.startsWith(lastTag(after)))) return true
  const own = lastTag(before) + key + after
  return own.startsWith('<') && start.startsWith(own) && !start.includes(`</${own.slice(1)}`)
}

/**
 * True for a value that begins, right behind its tag, as if that ended twice, or ends, right before its tag, as if that began
 * twice: `<parameter=city>>Dallas<</parameter>`.
 */
export function hasBracketTooMany(value: string, beside: { start: boolean; end: boolean }): boolean {
  return (beside.start && /^>(?:[\p{L}["'{]|\s*\n)/u.test(value)) || (beside.end && value.endsWith('<'))
}

/** Finds the openers of parameters that a text has in a broken form: `<parameterparameter name="state">`, `parameter=state>`. */
export class GarbledTags {
  readonly #words: readonly string[]

  constructor(opens: readonly Marker[]) {
    const words = opens.map(open => /[A-Za-z_]{4,}/.exec(open.split('{name}', 1)[0] ?? '')?.[0] ?? '')
    this.#words = [...new Set(words)].filter(word => word !== '')
  }

  /** The names of the parameters that they may have opened. */
  names(text: string): string[] {
    return this.#words.flatMap(word => {
      if (!text.includes(word)) return []
      const broken = new RegExp(`${word}[^>\\n]{0,24}?([\\w.-]+)["'\\s]*>`, 'g')
      return Array.from(text.matchAll(broken), ([, name = '']) => name)
    })
  }
}
