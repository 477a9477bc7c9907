import { redactionMark } from '../../words/redaction-mark.ts'
import { createSecretFinder, type SecretSpan } from './secret-finder.ts'

export interface RedactorOptions {
  allow?: readonly string[]
}

/** JSON that is nested deeper is not shown at all. */
const MAX_DEPTH = 1000

/**
 * Creates a function that replaces the secrets of an environment in any JSON value, keys included, with
 * `[redacted: NAME]`. A value without a secret is returned as the same object. Takes time linear in the size.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  { allow = [] }: RedactorOptions = {},
): (value: unknown) => unknown {
  const find = createSecretFinder(env, new Set(allow))
  const redactText = (text: string): string => replaceSpans(text, find(text))
  return value => new RedactionPass(redactText).redact(value, 0)
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text
  let result = ''
  let done = 0
  for (const { start, end, name } of spans) {
    result += `${text.slice(done, start)}${redactionMark(name)}`
    done = end
  }
  return result + text.slice(done)
}

class RedactionPass {
  readonly #redactText: (text: string) => string
  /** The result for each object; for those still in progress, the notice that they contain themselves. */
  readonly #done = new Map<object, unknown>()

  constructor(redactText: (text: string) => string) {
    this.#redactText = redactText
  }

  redact(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#redactText(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth > MAX_DEPTH) return '[left out: nested too deeply to search for secrets]'
    if (this.#done.has(value)) return this.#done.get(value)
    this.#done.set(value, '[left out: contains itself]')
    const result = Array.isArray(value) ? this.#redactList(value, depth) : this.#redactObject(value, depth)
    this.#done.set(value, result)
    return result
  }

  #redactList(list: readonly unknown[], depth: number): unknown {
    let copy: unknown[] | undefined
    for (const [index, item] of list.entries()) {
      const redacted = this.redact(item, depth + 1)
      if (redacted !== item) (copy ??= [...list])[index] = redacted
    }
    return copy ?? list
  }

  #redactObject(object: object, depth: number): unknown {
    const entries = new Map<string, unknown>()
    let changed = false
    for (const [key, item] of Object.entries(object)) {
      const redacted = this.redact(item, depth + 1)
      const name = this.#redactText(key)
      changed ||= redacted !== item || name !== key
      entries.set(name === key ? key : freeName(name, entries), redacted)
    }
    return changed ? Object.fromEntries(entries) : object
  }
}

/** Two keys that held the same secret stay two keys. */
function freeName(name: string, entries: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let count = 2; entries.has(free); count++) free = `${name} (${count})`
  return free
}
