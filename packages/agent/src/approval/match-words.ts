import { compileGlob } from '../files/compile-glob.ts'

/** Stands for `/`, which is a character like any other in a word: no argument holds this one. */
const SLASH = '\u{f0000}'

/** What a shell would act on. There is no shell here, but programs hand their arguments to one. */
const METACHARACTERS = /[;&|<>$`\\"'(){}[\]*?!#~\p{C}\p{Zl}\p{Zp}\s]/u

/**
 * Compares a command line with a pattern, word by word: a wildcard stands for characters within one word, the word `**`
 * for any number of words, `\` before a character means it as it is. In a `strict` comparison a wildcard does not stand
 * for a word with something that a shell would act on, nor for the `-` at the start of an option.
 */
export function createWordMatcher(pattern: string, strict: boolean): (words: readonly string[]) => boolean {
  const parts = splitPattern(pattern).map(part => (part === '**' ? undefined : createOneMatcher(part, strict)))
  return words => {
    // The parts that may come next; each word moves all of them on.
    let at = withSkipped(new Set([0]), parts)
    for (const word of words) {
      const next = new Set<number>()
      for (const index of at) {
        if (index >= parts.length) continue
        const part = parts[index]
        if (part === undefined) next.add(index)
        else if (part(word)) next.add(index + 1)
      }
      at = withSkipped(next, parts)
    }
    return at.has(parts.length)
  }
}

/** `**` may stand for no word at all. */
function withSkipped(at: Set<number>, parts: readonly unknown[]): Set<number> {
  for (const index of at) if (index < parts.length && parts[index] === undefined) at.add(index + 1)
  return at
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

/** What a part without wildcards stands for; undefined if it has some. */
function getLiteral(part: string): string | undefined {
  let literal = ''
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!
    if ('*?[{'.includes(character)) return undefined
    literal += character === '\\' && at + 1 < part.length ? part[++at]! : character
  }
  return literal
}

/** Splits a pattern at blanks that have no backslash before them. */
function splitPattern(pattern: string): string[] {
  return pattern.match(/(?:\\[\s\S]|[^\s\\]|\\$)+/g) ?? []
}

/** The words as a pattern that matches them and nothing else. */
export function patternOfWords(words: readonly string[]): string {
  return words.map(escapePattern).join(' ')
}

/** A text as a pattern that matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]{}!\s]/g, '\\$&')
}
