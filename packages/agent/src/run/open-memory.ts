import { defined } from '@argot/core/stream/internal'
import { findConfigFolder } from '../settings/config-folder.ts'
import { makeStateKey, readStateKey } from '../store/state-key.ts'
import type { Store } from '../store/store.ts'
import { AgentCache } from './agents/agent-cache.ts'
import { FrozenSources } from './agents/frozen-sources.ts'
import type { RunOptions } from './run-options.ts'

export interface MemoryPlace {
  store: Store
  /** The transcript's path in the store. The fields are as in `DocumentPlace`. */
  path: string
  source: string
  isNew: boolean
}

export interface DocumentMemory {
  frozen?: FrozenSources
  agentCache?: AgentCache
}

/** What earlier runs of the document stored beside it: what its turns brought in, and agents' answers. */
export async function openMemory(
  { store, path, source, isNew }: MemoryPlace,
  options: RunOptions,
): Promise<DocumentMemory> {
  const files = store.files(path)
  const { env = process.env, now = Date.now, refresh, cache, cacheMs } = options
  const { configFolder = findConfigFolder({ env }) } = options
  // A copy starts with what its original document knows.
  const origin = isNew ? await FrozenSources.open(store.files(source), refresh) : undefined
  const frozen = await FrozenSources.open(files, refresh, origin)
  const key = (purpose: 'read' | 'write') => (purpose === 'write' ? makeStateKey : readStateKey)(configFolder, env)
  const agentCache =
    cache === false
      ? undefined
      : new AgentCache({ files, key, now, maxAgeMs: cacheMs, onUse: one => frozen.noteCachedAnswer(one) })
  return { frozen, ...defined({ agentCache }) }
}
