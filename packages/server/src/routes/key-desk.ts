import { createKeyStore, requireProvider, type StoredKey } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { Problem } from '../guard/problem.ts'

type RunEnvironment = Record<string, string | undefined>

export interface KeyDeskOptions {
  configFolder: string
  /** The environment of runs. A stored key is added to it, so the next run can use it. */
  env: RunEnvironment
}

/** Stores provider keys for the user, as `argot keys set` does. Never returns a key. */
export class KeyDesk {
  readonly #options: KeyDeskOptions

  constructor(options: KeyDeskOptions) {
    this.#options = options
  }

  /**
   * Stores a key. `isUsed` is false if the server's environment has another key for this provider, which then applies.
   * Error messages contain no part of the input.
   */
  async store(name: string, key: string): Promise<{ place: StoredKey['place']; isUsed: boolean }> {
    const { env } = this.#options
    const provider = knownProvider(name)
    const keys = createKeyStore(this.#options)
    const before = (await keys.read()).get(provider)
    const { variable, place } = await keys.set(provider, key)
    const current = env[variable]?.trim()
    const isUsed = !current || current === before
    // Of two keys, the one that no provider reads is still redacted.
    const other = `ARGOT_STORED_${provider.toUpperCase().replaceAll('-', '_')}_KEY`
    if (isUsed) env[variable] = key.trim()
    const spare = isUsed ? before : key.trim()
    if (spare !== undefined) env[other] = spare
    return { place, isUsed }
  }
}

/** The message doesn't repeat the name: text pasted into the wrong field may be a key. */
function knownProvider(name: string): string {
  try {
    return requireProvider(name)
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    throw new Problem(404, 'MODEL_UNKNOWN_PROVIDER', 'There is no provider with this name that takes a key.')
  }
}
