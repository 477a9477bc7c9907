import type { Command } from 'commander'
import { type Io, tell } from '../io/io.ts'

/**
 * Gives a command its own environment and adds the stored keys before its action starts. `process.env` doesn't change,
 * so no child process inherits a key.
 */
export function withStoredKeys(command: Command, io: Io): Io {
  const env = { ...io.env }
  command.hook('preAction', async () => {
    const { addStoredKeys, findConfigFolder } = await import('@argot/agent/internal')
    const storedKeys = await addStoredKeys({ configFolder: findConfigFolder({ env: io.env }), env: io.env })
    Object.assign(env, storedKeys.env)
    for (const provider of storedKeys.missing) {
      await tell(
        io,
        `Couldn't read the key for ${provider} from the keyring. Unlock the keyring, or store the key again: argot keys set ${provider}\n`,
      )
    }
  })
  return Object.create(io, { env: { value: env, enumerable: true }, cwd: { value: () => io.cwd() } }) as Io
}
