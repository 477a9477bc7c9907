import { findSecrets } from './find-secrets.ts'
import { readLetters } from './letter-reader.ts'
import { exactForms, looseForms } from './secret-forms.ts'

export interface SecretSpan {
  start: number
  end: number
  name: string
}

/** Returns spans in order and without overlaps. */
export type FindSecretSpans = (text: string) => SecretSpan[]

/** This many consecutive letters of a secret are enough to hide them. */
const PART_LETTERS = 14
/** Shorter forms are matched exactly only: their letters alone occur by chance. */
const SHORTEST_LOOSE = 10
/** A part with fewer different letters is meaningless. */
const FEWEST_LETTERS = 5
/** Two letters with more characters than this between them don't belong together. */
const WIDEST_GAP = 32

/**
 * Creates a function that finds the secrets of an environment in a text: literally, in another case, in JSON, in
 * base64, in hex and URL-encoded; with white space, line breaks or escapes in between; and long parts of them. Linear.
 */
export function createSecretFinder(
  env: Readonly<Record<string, string | undefined>>,
  allow: ReadonlySet<string> = new Set(),
): FindSecretSpans {
  const secrets = findSecrets(env, allow)
  if (secrets.length === 0) return () => []
  const exact = new ExactForms(secrets)
  const loose = new LooseForms(secrets)
  return text => merge([...exact.find(text), ...loose.find(text)])
}

type Secrets = ReturnType<typeof findSecrets>

/** Forms that are matched literally, ignoring case. */
class ExactForms {
  readonly #names = new Map<string, string>()
  readonly #pattern: RegExp

  constructor(secrets: Secrets) {
    const forms = new Set<string>()
    for (const { name, value } of secrets) {
      for (const form of exactForms(value)) {
        forms.add(form)
        const key = form.toLowerCase()
        if (!this.#names.has(key)) this.#names.set(key, name)
      }
    }
    // The longest first, so that a secret that begins with another one is found as a whole.
    const longest = [...forms].sort((a, b) => b.length - a.length)
    this.#pattern = new RegExp(longest.map(form => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi')
  }

  find(text: string): SecretSpan[] {
    const [first = ''] = this.#names.values()
    return Array.from(text.matchAll(this.#pattern), match => ({
      start: match.index,
      end: match.index + match[0].length,
      name: this.#names.get(match[0].toLowerCase()) ?? first,
    }))
  }
}

interface LetterRun {
  letters: string
  name: string
}

interface LetterRuns {
  length: number
  byHash: Map<number, LetterRun[]>
  /** Possible hashes: this rules out most letters of a text. */
  sieve: Uint8Array
  /** For the letter that leaves a run of this length. */
  leavingFactor: number
}

const FACTOR = 0x01000193
const SIEVE_BITS = 16

/** Forms of which only letters and digits matter, and every long part matches. */
class LooseForms {
  readonly #runs = new Map<number, LetterRuns>()

  constructor(secrets: Secrets) {
    for (const { name, value } of secrets) {
      for (const form of looseForms(value)) this.#add(toLetters(form), name)
    }
  }

  #add(letters: string, name: string): void {
    if (letters.length < SHORTEST_LOOSE) return
    const length = Math.min(PART_LETTERS, letters.length)
    const runs = this.#runs.get(length) ?? createLetterRuns(length)
    this.#runs.set(length, runs)
    for (let at = 0; at + length <= letters.length; at++) {
      const part = letters.slice(at, at + length)
      if (new Set(part).size < FEWEST_LETTERS) continue
      const hash = hashLetters(part)
      const entries = runs.byHash.get(hash) ?? []
      if (entries.some(entry => entry.letters === part)) continue
      runs.byHash.set(hash, [...entries, { letters: part, name }])
      runs.sieve[hash >>> (32 - SIEVE_BITS)] = 1
    }
  }

  find(text: string): SecretSpan[] {
    return [...this.#runs.values()].flatMap(runs => (text.length < runs.length ? [] : findLetterRuns(text, runs)))
  }
}

function createLetterRuns(length: number): LetterRuns {
  let leavingFactor = 1
  for (let count = 1; count < length; count++) leavingFactor = Math.imul(leavingFactor, FACTOR)
  return { length, byHash: new Map(), sieve: new Uint8Array(1 << SIEVE_BITS), leavingFactor }
}

function hashLetters(letters: string): number {
  let hash = 0
  for (let at = 0; at < letters.length; at++) hash = (Math.imul(hash, FACTOR) + letters.charCodeAt(at)) >>> 0
  return hash
}

function toLetters(text: string): string {
  let letters = ''
  readLetters(text, code => {
    letters += String.fromCharCode(code)
  })
  return letters
}

function findLetterRuns(text: string, { length, byHash, sieve, leavingFactor }: LetterRuns): SecretSpan[] {
  const spans: SecretSpan[] = []
  // The last letters, each at its index modulo the length.
  const codes = new Uint16Array(length)
  const starts = new Int32Array(length)
  let count = 0
  let hash = 0
  let lastEnd = 0
  readLetters(text, (code, start, end) => {
    if (start - lastEnd > WIDEST_GAP) count = 0
    if (count === 0) hash = 0
    const place = count % length
    if (count >= length) hash = (hash - Math.imul(codes[place]!, leavingFactor)) >>> 0
    hash = (Math.imul(hash, FACTOR) + code) >>> 0
    codes[place] = code
    starts[place] = start
    count++
    lastEnd = end
    if (count < length || sieve[hash >>> (32 - SIEVE_BITS)] === 0) return
    const entry = byHash.get(hash)?.find(({ letters }) => equals(letters, codes, count))
    if (entry === undefined) return
    const from = starts[count % length]!
    const before = spans.at(-1)
    if (before !== undefined && before.end >= from && before.name === entry.name) before.end = end
    else spans.push({ start: from, end, name: entry.name })
  })
  return spans
}

function equals(letters: string, codes: Uint16Array, count: number): boolean {
  for (let at = 0; at < letters.length; at++) {
    if (letters.charCodeAt(at) !== codes[(count + at) % codes.length]) return false
  }
  return true
}

/** Overlapping spans become one, with the name of the longest. */
function merge(spans: SecretSpan[]): SecretSpan[] {
  const merged: (SecretSpan & { longest: number })[] = []
  for (const span of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const before = merged.at(-1)
    const longest = span.end - span.start
    if (before === undefined || span.start >= before.end) {
      merged.push({ ...span, longest })
      continue
    }
    before.end = Math.max(before.end, span.end)
    if (longest > before.longest) Object.assign(before, { name: span.name, longest })
  }
  return merged.map(({ start, end, name }) => ({ start, end, name }))
}
