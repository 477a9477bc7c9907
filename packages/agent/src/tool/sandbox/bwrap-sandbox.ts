import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defined } from 'argot/stream'
import { findProtected } from '../../files/find-protected.ts'
import { isInside } from '../../files/local-file.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { describeClosed, describeConfined, describeMade } from './describe-closed.ts'
import { findProgram } from './find-program.ts'
import { CACHES_AT_HOME, homesOf } from './hidden-paths.ts'
import type { Bounds, Launch, Program, Sandbox } from './sandbox.ts'

/** A start that takes longer does not work. */
const PROBE_MS = 10_000
/** What is to be hidden may go away while it is being started. */
const PROBES = 3

/** Confines programs with bubblewrap on Linux, or says why that does not work here. */
export async function openBwrap(bounds: Bounds): Promise<Sandbox | { missing: string }> {
  const { PATH } = bounds.env
  const bwrap = await findProgram('bwrap', PATH ?? '', '/')
  if (bwrap === undefined) return { missing: '`bwrap` (the package bubblewrap) is not installed' }
  if (bounds.roots.some(root => isInside(root, bwrap)))
    return { missing: '`bwrap` is in a folder that tools may change' }
  const problem = await probe(bwrap, bounds)
  return problem === undefined ? new BwrapSandbox(bwrap, bounds) : { missing: `\`bwrap\` does not work: ${problem}` }
}

/** Starts `bwrap` inside of itself with everything closed, and gives what went wrong each time. */
async function probe(bwrap: string, bounds: Bounds): Promise<string | undefined> {
  const program: Program = { command: [bwrap, '--version'], cwd: '/', env: {}, network: false }
  let problem: string | undefined
  for (let tries = 0; tries < PROBES; tries++) {
    try {
      const { arguments: list } = await bwrapArguments(bounds, program)
      await promisify(execFile)(bwrap, [...list, ...program.command], { env: {}, cwd: '/', timeout: PROBE_MS })
      return undefined
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string }
      problem = (stderr?.trim() || message).split('\n')[0]?.slice(0, 200)
    }
  }
  return problem
}

/**
 * Which file or folder each path is now. What is read-only cannot be replaced, but a folder around it can be moved away and
 * made again.
 */
async function identities(paths: Iterable<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const path of paths) {
    const status = await lstat(path).catch(() => undefined)
    if (status !== undefined) found.set(path, `${status.dev}:${status.ino}`)
  }
  return found
}

class BwrapSandbox implements Sandbox {
  readonly kind = 'bwrap'
  readonly #bwrap: string
  readonly #bounds: Bounds

  constructor(bwrap: string, bounds: Bounds) {
    this.#bwrap = bwrap
    this.#bounds = bounds
  }

  describe(network: boolean): string {
    return describeConfined(this.kind, network)
  }

  async launch(program: Program): Promise<Launch> {
    const { roots } = this.#bounds
    const [name, ...words] = program.command
    await access(program.cwd, constants.X_OK).catch(() => {
      const message = `The command ${name} could not be started: its working directory ${program.cwd} does not exist.`
      throw new ToolFailure('TOOL_COMMAND_NOT_STARTED', message)
    })
    const path = await findProgram(name, program.env.PATH, program.cwd)
    if (path === undefined) {
      const message = `The command ${name} was not found on this machine. Use another tool, or ask the user to install it.`
      throw new ToolFailure('TOOL_COMMAND_NOT_FOUND', message)
    }
    const { arguments: list, kept } = await bwrapArguments(this.#bounds, program)
    const before = await identities(kept)
    return {
      command: [this.#bwrap, ...list, path, ...words],
      // Given to bwrap itself: what it is told to clear can still be read from the first process inside.
      env: { ...program.env, TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp', ...(await this.#caches()) },
      closed: describeClosed(program.network),
      end: async () => {
        const after = await identities((await findProtected(roots)).names)
        const made = [...after].filter(([one, identity]) => before.get(one) !== identity).map(([one]) => one)
        return made.length === 0 ? undefined : describeMade(made)
      },
    }
  }

  /** A cache that is not there cannot be covered by an empty one, so programs are given another place. */
  async #caches(): Promise<Record<string, string>> {
    const [home] = homesOf(this.#bounds.env)
    if (home === undefined) return {}
    const missing = await Promise.all(
      CACHES_AT_HOME.map(name =>
        access(join(home, name)).then(
          () => false,
          () => true,
        ),
      ),
    )
    return defined({
      XDG_CACHE_HOME: missing[0] === true ? '/tmp/.cache' : undefined,
      npm_config_cache: missing[1] === true ? '/tmp/.npm' : undefined,
    })
  }
}
