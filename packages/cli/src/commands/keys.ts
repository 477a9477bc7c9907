import { text as readText } from 'node:stream/consumers'
import { createKeyStore, findConfigFolder, type KeyStore, requireProvider, type StoredKey } from '@argot/agent/internal'
import { nearestNames } from '@argot/core/stream/internal'
import type { Command } from 'commander'
import { findPromptTerminal } from '../ask/prompt-terminal.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'

interface KeysFlags {
  file?: boolean
  json?: boolean
}

const actions = ['set', 'list', 'remove']

/** Never shows a key. */
export function keysCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--file', 'store the key in a file that only you can read, even if there is a keyring')
    .option('--json', 'print the list as JSON')
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
\`set\` asks for the key without showing it. In a pipe, it reads the key from
standard input. \`list\` shows which providers have a stored key, never the key
itself. A stored key works like the provider's environment variable. If both are
set, the variable wins.`,
    )
    .action(async (action: string, provider: string | undefined, flags: KeysFlags) => {
      if (command.args.length > 2) throw new UsageError(noArgument)
      const store = createKeyStore({ configFolder: findConfigFolder({ env: io.env }), env: io.env })
      done(await act(store, action, provider, flags, io))
    })
}

const noArgument =
  "A key can't be an argument, because it would stay in your shell's history. Leave it out and type it at the prompt, or pipe it in."

async function act(
  store: KeyStore,
  action: string,
  provider: string | undefined,
  flags: KeysFlags,
  io: Io,
): Promise<number> {
  if (action === 'list') return list(store, flags, io)
  if (!actions.includes(action)) throw unknownAction(action)
  if (provider === undefined) throw new UsageError(`The provider is missing. For example: argot keys ${action} openai`)
  const name = requireProvider(provider)
  if (action === 'remove') {
    const wasThere = await store.remove(name)
    await tell(io, wasThere ? `Removed the key for ${name}.\n` : `There is no stored key for ${name}.\n`)
    return wasThere ? 0 : 1
  }
  const key = await readKey(name, io)
  if (key === undefined) return 130
  const storedKey = await store.set(name, key, flags.file === true ? { place: 'file' } : {})
  await tell(io, `Stored the key for ${name} in ${describePlace(storedKey)}.\n`)
  const { variable } = storedKey
  if (io.env[variable]?.trim()) await tell(io, `${variable} is also set and overrides the stored key.\n`)
  return 0
}

async function list(store: KeyStore, { json }: KeysFlags, io: Io): Promise<number> {
  const keys = await store.list()
  if (json === true) {
    await print(io, jsonLine({ keys }))
    return 0
  }
  const width = Math.max(0, ...keys.map(({ provider }) => provider.length))
  for (const key of keys) {
    const isHidden = Boolean(io.env[key.variable]?.trim())
    const place = isHidden ? `${describePlace(key)}; ${key.variable} is set and overrides it` : describePlace(key)
    await print(io, `${key.provider.padEnd(width)}  ${place}\n`)
  }
  if (keys.length === 0) await tell(io, 'No keys are stored. Store one with: argot keys set PROVIDER\n')
  return 0
}

function describePlace({ place }: StoredKey): string {
  return place === 'keyring' ? "the system's keyring" : 'a file that only you can read'
}

async function readKey(provider: string, io: Io): Promise<string | undefined> {
  const terminal = findPromptTerminal(io, {})
  if (terminal === undefined) return readText(io.stdin)
  const { isCancel, password } = await import('@clack/prompts')
  const { input, output } = terminal
  const key = await password({ message: `Key for ${provider}:`, mask: '•', withGuide: false, input, output })
  return isCancel(key) ? undefined : (key ?? '')
}

function unknownAction(action: string): UsageError {
  const [nearest] = nearestNames(action, actions, 1)
  const cure = nearest === undefined ? `Actions: ${actions.join(', ')}.` : `Did you mean "${nearest}"?`
  return new UsageError(`There is no action "${action}". ${cure}`)
}
