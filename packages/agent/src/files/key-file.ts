/** In the user's config folder. */
export const KEY_FILE = 'provider-keys.json'

const keyFilePattern = /[\\/]argot[\\/]provider-keys\.json[^\\/]*$/i

/** In any user's config folder, drafts included. Documents, models and tools must never read such a file. */
export function isKeyFile(real: string): boolean {
  return keyFilePattern.test(real)
}
