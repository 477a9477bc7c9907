import { compileGlob } from '../files/compile-glob.ts'

/** Replaces `/`, which is an ordinary character in a word. No argument contains this one. */
const SLASH = '\u{f0000}'

/** Characters that a shell would act on. There is no shell here, but programs pass their arguments to one. */
const METACHARACTERS = /[;&|<>$`\\"'(){}[\]*?!#~\p{C}\p{Zl}\p{Zp}\s]/u

/**
 * Compares a command line with a pattern, word by word. A wildcard matches characters within one word, the word `**`
 * any number of words, and `\` makes the next character literal. In a `strict` comparison, a wildcard doesn't match a
 * word with a character that a shell would act on, nor the `-` at the start of an option.
 */
export function createWordMatcher(pattern: string, strict: boolean): (words: readonly string[]) => boolean {
  const parts = splitPattern(pattern).map(part => (part === '**' ? undefined : createOneMatcher(part, strict)))
  return words => {
    // The parts that may come next. Each word advances all of them.
    let positions = withSkipped(new Set([0]), parts)
    for (const word of words) {
      const next = new Set<number>()
      for (const index of positions) {
        if (index >= parts.length) continue
        const part = parts[index]
        if (part === undefined) next.add(index)
        else if (part(word)) next.add(index + 1)
      }
      positions = withSkipped(next, parts)
    }
    return positions.has(parts.length)
  }
}

/** `**` may match no word at all. */
function withSkipped(positions: Set<number>, parts: readonly unknown[]): Set<number> {
  for (const index of positions) if (index < parts.length && parts[index] === undefined) positions.add(index + 1)
  return positions
}

function createOneMatcher(part: string, strict: boolean): (word: string) => boolean {
  const glob = compileGlob(part.replaceAll('/', SLASH), { dots: true })
  const literal = getLiteral(part)
  const option = part.replace(/^\\/, '').startsWith('-')
  return word => {
    if (literal !== undefined) return word === literal
    if (strict && (METACHARACTERS.test(word) || (word.startsWith('-') && !option))) return false
    return glob.matches(word.replaceAll('/', SLASH))
  }
}

/** The text that a part without wildcards matches. Undefined if it has wildcards. */
function getLiteral(part: string): string | undefined {
  let literal = ''
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!
    if ('*?[{'.includes(character)) return undefined
    literal += character === '\\' && at + 1 < part.length ? part[++at]! : character
  }
  return literal
}

/** Splits a pattern at spaces that have no backslash before them. */
function splitPattern(pattern: string): string[] {
  return pattern.match(/(?:\\[\s\S]|[^\s\\]|\\$)+/g) ?? []
}

/** A pattern that matches exactly these words. */
export function toWordPattern(words: readonly string[]): string {
  return words.map(escapePattern).join(' ')
}

export function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]{}!\s]/g, '\\$&')
}
