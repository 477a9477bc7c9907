import { isRecord } from '@argot/core/stream/internal'

/* A pattern is JSON. An object whose only key is one of these is a matcher; everything else matches itself. */
interface Matcher {
  check(operand: unknown): string | undefined
  matches(operand: unknown, value: unknown): boolean
  /** A value that matches; undefined if the matcher doesn't determine one. */
  example(operand: unknown): unknown
}

const requireText = (operand: unknown): string | undefined =>
  typeof operand === 'string' && operand.trim() !== '' ? undefined : 'must be a non-empty string'

const matchers: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  [
    '$any',
    {
      check: operand => (operand === true ? undefined : 'must be true'),
      matches: () => true,
      example: () => undefined,
    },
  ],
  [
    '$oneOf',
    {
      check: operand =>
        Array.isArray(operand) && operand.length > 0
          ? firstProblem(operand)
          : 'must be a list with at least one pattern',
      matches: (operand, value) => (operand as unknown[]).some(one => matchesPattern(one, value)),
      example: operand => examplePattern((operand as unknown[])[0]),
    },
  ],
  [
    '$optional',
    {
      check: patternProblem,
      matches: (operand, value) => matchesPattern(operand, value),
      example: examplePattern,
    },
  ],
  [
    '$text',
    {
      check: requireText,
      matches: (operand, value) => typeof value === 'string' && plain(value) === plain(operand as string),
      example: operand => operand,
    },
  ],
  [
    '$contains',
    {
      check: requireText,
      matches: (operand, value) => typeof value === 'string' && plain(value).includes(plain(operand as string)),
      example: operand => operand,
    },
  ],
  [
    '$lines',
    {
      check: requireText,
      matches: (operand, value) =>
        typeof value === 'string' && normalizeLines(value) === normalizeLines(operand as string),
      example: operand => operand,
    },
  ],
])

/** The matcher and its operand, if the value is one. */
function readMatcher(pattern: unknown): [Matcher, unknown] | undefined {
  if (!isRecord(pattern)) return undefined
  const [key, ...others] = Object.keys(pattern)
  const matcher = key === undefined || others.length > 0 ? undefined : matchers.get(key)
  return matcher && [matcher, pattern[key!]]
}

export function patternProblem(pattern: unknown): string | undefined {
  const matcher = readMatcher(pattern)
  if (matcher !== undefined) {
    const problem = matcher[0].check(matcher[1])
    return problem && `\`${Object.keys(pattern as object)[0]}\` ${problem}`
  }
  if (Array.isArray(pattern)) return firstProblem(pattern)
  if (!isRecord(pattern)) return undefined
  const stray = Object.keys(pattern).find(key => key.startsWith('$'))
  if (stray !== undefined) {
    const names = [...matchers.keys()].map(name => `\`${name}\``).join(', ')
    return matchers.has(stray)
      ? `\`${stray}\` must be the only key of its object`
      : `there is no matcher \`${stray}\`. The matchers are ${names}`
  }
  return firstProblem(Object.values(pattern))
}

function firstProblem(patterns: readonly unknown[]): string | undefined {
  for (const one of patterns) {
    const problem = patternProblem(one)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Numbers, texts and lists must be equal, and objects must have the same keys. */
export function matchesPattern(pattern: unknown, value: unknown): boolean {
  const matcher = readMatcher(pattern)
  if (matcher !== undefined) return matcher[0].matches(matcher[1], value)
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((one, index) => matchesPattern(one, value[index]))
    )
  }
  if (!isRecord(pattern)) return pattern === value
  if (!isRecord(value) || !Object.keys(value).every(key => Object.hasOwn(pattern, key))) return false
  return Object.entries(pattern).every(([key, one]) =>
    Object.hasOwn(value, key) ? matchesPattern(one, value[key]) : isOptional(one),
  )
}

function isOptional(pattern: unknown): boolean {
  return isRecord(pattern) && Object.keys(pattern).length === 1 && Object.hasOwn(pattern, '$optional')
}

/** A value that matches the pattern, with `undefined` where anything matches. */
export function examplePattern(pattern: unknown): unknown {
  const matcher = readMatcher(pattern)
  if (matcher !== undefined) return matcher[0].example(matcher[1])
  if (Array.isArray(pattern)) return pattern.map(examplePattern)
  if (!isRecord(pattern)) return pattern
  return Object.fromEntries(Object.entries(pattern).map(([key, one]) => [key, examplePattern(one)]))
}

/** Ignores case and white space. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Removes blank lines at both ends and unifies line breaks. */
function normalizeLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}
