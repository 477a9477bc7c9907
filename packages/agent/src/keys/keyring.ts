import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { absolutePath } from '../tool/absolute-path.ts'
import { findProgram } from '../tool/sandbox/find-program.ts'

/** A system store for secrets. If it doesn't answer, `get` returns undefined, and `set` and `remove` return false. */
export interface Keyring {
  title: string
  get(provider: string): Promise<string | undefined>
  /** True once the keyring returns the same key. */
  set(provider: string, key: string): Promise<boolean>
  /** True once the keyring says that it has no key, false if it is locked. */
  remove(provider: string): Promise<boolean>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A person may have to unlock it. */
const PATIENCE_MS = 60_000
const LONGEST_OUTPUT = 64 * 1024

/** The keyring of a Linux desktop, through `secret-tool`. docs/decisions/keys.md explains why it is the only one. */
export async function findKeyring(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<Keyring | undefined> {
  if (platform !== 'linux' || !hasBus(env)) return undefined
  const program = await findProgram('secret-tool', absolutePath(env.PATH ?? ''), '/')
  return program === undefined ? undefined : new SecretTool(program, env)
}

function hasBus({ DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder }: Environment): boolean {
  return Boolean(address) || (folder?.startsWith('/') === true && existsSync(join(folder, 'bus')))
}

/** What the keyring's service and its window need to be found. None of these holds a key. */
const passedVariables = [
  'PATH',
  'HOME',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'LANG',
]

class SecretTool implements Keyring {
  readonly title = 'the system’s keyring'
  readonly #program: string
  readonly #env: Record<string, string>

  constructor(program: string, env: Environment) {
    this.#program = program
    this.#env = Object.fromEntries(
      passedVariables.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])),
    )
  }

  async get(provider: string): Promise<string | undefined> {
    const { status, stdout } = await this.#run(['lookup', ...attributes(provider)])
    const key = stdout.replace(/\n$/, '')
    return status === 0 && key !== '' ? key : undefined
  }

  async set(provider: string, key: string): Promise<boolean> {
    const { status } = await this.#run(['store', `--label=Argot: ${provider}`, ...attributes(provider)], key)
    return status === 0 && (await this.get(provider)) === key
  }

  async remove(provider: string): Promise<boolean> {
    await this.#run(['clear', ...attributes(provider)])
    // Only `search` tells a missing key from a locked one: `clear` and `lookup` exit with 1 for both.
    const { status, stdout } = await this.#run(['search', '--all', ...attributes(provider)])
    return status === 0 && stdout.trim() === ''
  }

  /** Passes the key through standard input, because other processes can read a process's arguments. */
  #run(args: readonly string[], input = ''): Promise<{ status: number; stdout: string }> {
    return new Promise(resolve => {
      const child = spawn(this.#program, args, { env: this.#env, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      let stdout = ''
      child.stdin.on('error', () => {})
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (stdout.length < LONGEST_OUTPUT) stdout += text
      })
      child.on('error', () => resolve({ status: 1, stdout: '' }))
      child.on('close', status => {
        clearTimeout(timer)
        resolve({ status: status ?? 1, stdout })
      })
      child.stdin.end(input)
    })
  }
}

function attributes(provider: string): string[] {
  return ['service', 'argot', 'provider', provider]
}
