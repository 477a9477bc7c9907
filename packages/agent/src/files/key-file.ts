/** In the user's config folder. */
export const KEY_FILE = 'provider-keys.json'

const keyFilePattern = /[\\/]argot[\\/]provider-keys\.json[^\\/]*$/i

/**
 * Whether a real path is a file with provider keys, or a draft of one, in any user's config folder. Documents, models
 * and tools must never read it.
 */
export function isKeyFile(real: string): boolean {
  return keyFilePattern.test(real)
}
