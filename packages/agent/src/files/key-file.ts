/** The file in the user's config folder that holds provider keys. */
export const KEY_FILE = 'provider-keys.json'

const folderAndName = /[\\/]argot[\\/]provider-keys\.json[^\\/]*$/i

/**
 * Whether a real path is a file with provider keys, or a draft of one, in any user's config folder. Documents, models
 * and tools must never read it.
 */
export function isKeyFile(real: string): boolean {
  return folderAndName.test(real)
}
