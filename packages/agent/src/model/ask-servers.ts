import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { toMessage } from '../words/to-message.ts'
import type { ListedProvider } from './list-providers.ts'
import { providers } from './providers.ts'

export interface ServerAnswer {
  address: string
  /** Undefined if the server didn't answer. */
  models?: string[]
  problem?: string
}

/** A server on this machine answers immediately or isn't there. */
const PATIENCE_MS = 1500
const LONGEST_REPLY = 256 * 1024

/** Asks the servers that need no key for their models, by provider. Never rejects, and takes at most two seconds. */
export async function askServers(
  listed: readonly ListedProvider[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Map<string, ServerAnswer>> {
  const answers = await Promise.all(
    listed.map(async ({ name }): Promise<[string, ServerAnswer][]> => {
      const provider = providers.get(name)
      const variable = provider?.addresses.find(one => env[one]?.trim())
      try {
        const address = provider?.baseUrl?.(
          variable === undefined ? undefined : { text: env[variable]!.trim(), variable },
        )
        const key = provider?.keys.map(one => env[one]?.trim()).find(one => one)
        return address === undefined ? [] : [[name, await askServer(address, key)]]
      } catch (error) {
        if (error instanceof ArgotError) return [[name, { address: variable ?? name, problem: error.message }]]
        throw error
      }
    }),
  )
  return new Map(answers.flat())
}

/** Asks the server at an address for its models. Never rejects. */
export async function askServer(
  address: string,
  key: string | undefined,
  patienceMs: number = PATIENCE_MS,
): Promise<ServerAnswer> {
  try {
    const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` }
    const signal = AbortSignal.timeout(patienceMs)
    const reply = await fetch(`${address}/models`, { signal, redirect: 'error', ...defined({ headers }) })
    if (!reply.ok) return { address, problem: `it responded with status ${reply.status}` }
    const { data } = JSON.parse((await reply.text()).slice(0, LONGEST_REPLY)) as { data?: unknown }
    const ids = Array.isArray(data) ? data.map(one => (one as { id?: unknown } | null)?.id) : []
    return { address, models: ids.filter(id => typeof id === 'string') }
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const isRefused = (cause as { code?: unknown } | null)?.code === 'ECONNREFUSED'
    return {
      address,
      problem: isTimeout ? 'it does not respond' : isRefused ? 'nothing is listening there' : toMessage(cause),
    }
  }
}
