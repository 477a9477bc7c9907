/** The file in the user's config folder that holds provider keys. */
export const KEY_FILE = 'provider-keys.json'

const folderAndName = /[\\/]argot[\\/]provider-keys\.json[^\\/]*$/i

/**
 * Whether a real path is that of a file with provider keys, or a draft of one, in anyone's config folder. Nothing that a
 * document, a model or a tool names may be read there.
 */
export function isKeyFile(real: string): boolean {
  return folderAndName.test(real)
}
