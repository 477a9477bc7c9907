import { providers } from '../model/providers.ts'
import { createKeyStore, type KeyStoreOptions, keyVariable } from './key-store.ts'

export interface AddedKeys {
  /** An environment with the stored keys in the variables that aren't set. Pass it to runs, never to a program. */
  env: Record<string, string | undefined>
  variables: string[]
  /** The providers whose key the keyring doesn't return. */
  missing: string[]
}

/** A stored key whose variable is set is added under a name that no provider reads, so that it is still redacted. */
export async function addStoredKeys({ configFolder, env }: KeyStoreOptions): Promise<AddedKeys> {
  const added: AddedKeys = { env: { ...env }, variables: [], missing: [] }
  for (const [provider, key] of await createKeyStore({ configFolder, env }).read()) {
    const isSet = providers.get(provider)?.keys.some(name => env[name]?.trim()) === true
    if (key === undefined) {
      if (!isSet) added.missing.push(provider)
      continue
    }
    added.env[isSet ? `ARGOT_STORED_${provider.toUpperCase().replaceAll('-', '_')}_KEY` : keyVariable(provider)] = key
    if (!isSet) added.variables.push(keyVariable(provider))
  }
  return added
}
