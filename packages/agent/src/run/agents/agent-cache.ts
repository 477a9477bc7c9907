import { createHash, timingSafeEqual } from 'node:crypto'
import { signText } from '../../store/seal.ts'
import type { DocumentFiles } from '../../store/store.ts'

export interface CachedAnswer {
  text: string
  at: number
}

export interface AgentCacheOptions {
  files: DocumentFiles
  /** The user's key. An answer that this user's runs didn't write isn't trusted. */
  key: (purpose: 'read' | 'write') => Promise<Uint8Array | undefined>
  now: () => number
  /** Older answers are requested again. A month by default. */
  maxAgeMs?: number | undefined
  /** Called with the key of each answer that is looked up or stored. Erasing the document deletes these answers. */
  onUse?: ((key: string) => void) | undefined
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000

/** Agents' answers, by everything that determines them. An answer is only a message's text, never a call. */
export class AgentCache {
  readonly #options: AgentCacheOptions

  constructor(options: AgentCacheOptions) {
    this.#options = options
  }

  async find(question: unknown): Promise<CachedAnswer | undefined> {
    const { files, key: findKey, now, maxAgeMs = MONTH_MS } = this.#options
    const name = this.#toName(question)
    const key = await findKey('read')
    const stored = key && (await files.read('cache', name))
    if (key === undefined || stored === undefined) return undefined
    const entry = readEntry(Buffer.from(stored).toString())
    if (entry === undefined || !isSame(entry.sign, signEntry(key, name, entry))) return undefined
    const age = now() - entry.at
    return age < 0 || age > maxAgeMs ? undefined : { text: entry.text, at: entry.at }
  }

  async keep(question: unknown, text: string): Promise<void> {
    const { files, key: findKey, now } = this.#options
    const key = await findKey('write')
    if (key === undefined) return
    const name = this.#toName(question)
    const entry = { text, at: now() }
    await files.write(
      'cache',
      name,
      `${JSON.stringify({ argot: 'answer', v: 1, ...entry, sign: signEntry(key, name, entry) })}\n`,
    )
  }

  #toName(question: unknown): string {
    const key = createHash('sha256').update(JSON.stringify(question)).digest('hex')
    this.#options.onUse?.(key)
    return `${key}.json`
  }
}

function signEntry(key: Uint8Array, name: string, { text, at }: CachedAnswer): string {
  return signText(key, JSON.stringify(['agent-answer', name, at, text]))
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function readEntry(stored: string): (CachedAnswer & { sign: string }) | undefined {
  try {
    const { text, at, sign } = JSON.parse(stored) as Record<string, unknown>
    if (typeof text !== 'string' || typeof at !== 'number' || typeof sign !== 'string') return undefined
    return { text, at, sign }
  } catch {
    return undefined
  }
}
