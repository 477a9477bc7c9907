import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { defined } from '@argot/core/stream/internal'
import { findProtected } from '../../files/find-protected.ts'
import { isInside } from '../../files/local-file.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { bwrapArguments, type MountHistory, userNamespaces } from './bwrap-arguments.ts'
import { describeClosed, describeConfined, describeCreated, describeUnsearched } from './describe-closed.ts'
import { findProgram } from './find-program.ts'
import { CACHES_AT_HOME, findHomes } from './hidden-paths.ts'
import { findMountProblem, type MountRow, parseMounts } from './mount-table.ts'
import type { Bounds, Launch, Program, Sandbox } from './sandbox.ts'
import { gateArguments, StartGate } from './start-gate.ts'

/** A start that takes longer doesn't work. */
const PROBE_MS = 10_000

/** A path to hide may disappear during the start, so try again. */
const PROBES = 3

/** Confines programs with bubblewrap on Linux, or says why that doesn't work here. */
export async function openBwrap(bounds: Bounds): Promise<Sandbox | { missing: string }> {
  const { PATH } = bounds.env
  const bwrap = await findProgram('bwrap', PATH ?? '', '/')
  if (bwrap === undefined) return { missing: '`bwrap` (from the bubblewrap package) is not installed' }
  if (bounds.roots.some(root => isInside(root, bwrap)))
    return { missing: '`bwrap` is in a folder that tools may change' }
  const history: MountHistory = { hasBegun: false, names: new Set(), hidden: new Set(), sockets: new Set() }
  let problem: string | undefined
  for (const namespaces of userNamespaces) {
    const setup: BwrapSetup = { bwrap, bounds, history, namespaces }
    const answer = await probe(setup)
    if (typeof answer !== 'string') return new BwrapSandbox(setup, answer.isComplete)
    problem = answer
  }
  return { missing: `\`bwrap\` does not work: ${problem}` }
}

interface BwrapSetup {
  bwrap: string
  bounds: Bounds
  history: MountHistory
  namespaces: readonly string[]
}

/**
 * Prints the kernel settings that can be opened for writing. Writes nothing: `true >> FILE` only opens it. File modes
 * don't stop root, so only the mounts protect them.
 */
const PROBE_SCRIPT = `for file in ${[
  ...['/proc/*', '/proc/sys/*/*', '/proc/sys/*/*/*', '/proc/irq/*', '/proc/bus/*/*', '/proc/acpi/*', '/proc/scsi/*'],
  ...['/proc/fs/*/*', '/proc/self/mem', '/sys/kernel/*', '/sys/power/*', '/sys/module/*/parameters/*'],
  ...['/sys/fs/cgroup/*', '/sys/fs/cgroup/*/*'],
].join(' ')}; do if [ -f "$file" ] && true >> "$file"; then echo "$file"; fi; done 2>/dev/null; echo done`

/** Starts a shell with everything closed. If no attempt succeeds, returns what went wrong in the last one. */
async function probe(setup: BwrapSetup): Promise<{ isComplete: boolean } | string> {
  let problem = ''
  for (let tries = 0; tries < PROBES; tries++) {
    try {
      const { gate, isComplete } = await createGate(setup, { cwd: '/', network: false })
      const openedFiles = (await startProbe(setup.bwrap, gate)).split('\n').filter(line => line !== '')
      if (openedFiles.at(-1) === 'done' && openedFiles.length === 1) return { isComplete }
      problem =
        openedFiles.at(-1) === 'done'
          ? `kernel settings can be changed inside it (${openedFiles[0]})`
          : 'no shell can run in it to inspect it'
    } catch (error) {
      problem = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? ''
    }
  }
  return problem
}

async function startProbe(bwrap: string, gate: StartGate): Promise<string> {
  const command = [...gateArguments, '--', '/bin/sh', '-c', PROBE_SCRIPT]
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'] as const
  const child = spawn(bwrap, command, { env: {}, cwd: '/', stdio: [...stdio] })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const [stdout, stderr] = [text(child.stdout!), text(child.stderr!)]
  // The first failure is reported; the others must not become unhandled rejections.
  for (const one of [failed, stdout, stderr]) one.catch(() => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_MS)
  try {
    await Promise.race([gate.open(child), failed])
    await ended
  } catch (error) {
    const message = (await stderr).trim()
    throw message === '' ? error : new Error(message, { cause: error })
  } finally {
    clearTimeout(timer)
  }
  return stdout
}

async function createGate(
  { bounds, history, namespaces }: BwrapSetup,
  program: Pick<Program, 'cwd' | 'network'>,
): Promise<{ gate: StartGate; guardedPaths: ReadonlySet<string>; isComplete: boolean }> {
  const { arguments: list, plan, guardedPaths, isComplete } = await bwrapArguments(bounds, program, history, namespaces)
  const gate = new StartGate(list, async pid => {
    const readMounts = (one: string): Promise<MountRow[]> =>
      readFile(`/proc/${one}/mountinfo`, 'utf8').then(parseMounts)
    try {
      return findMountProblem(await readMounts('self'), await readMounts(String(pid)), plan)
    } catch {
      return 'its mounts cannot be read'
    }
  })
  return { gate, guardedPaths, isComplete }
}

/** A read-only path can't be replaced, but a folder around it can be moved away and recreated. */
async function readIdentities(paths: Iterable<string>): Promise<Map<string, string>> {
  const identityByPath = new Map<string, string>()
  for (const path of paths) {
    const status = await lstat(path).catch(() => undefined)
    if (status !== undefined) identityByPath.set(path, `${status.dev}:${status.ino}`)
  }
  return identityByPath
}

class BwrapSandbox implements Sandbox {
  readonly kind = 'bwrap'
  readonly #setup: BwrapSetup
  /** Every entry of the roots was searched when the run began. */
  readonly #isComplete: boolean

  constructor(setup: BwrapSetup, isComplete: boolean) {
    this.#setup = setup
    this.#isComplete = isComplete
  }

  describe(network: boolean): string {
    return describeConfined(this.kind, network) + (this.#isComplete ? '' : ` ${describeUnsearched()}`)
  }

  async launch(program: Program): Promise<Launch> {
    const { bounds, bwrap } = this.#setup
    const [name, ...words] = program.command
    await access(program.cwd, constants.X_OK).catch(() => {
      const message = `The command ${name} couldn't be started: its working directory ${program.cwd} does not exist.`
      throw new ToolFailure('TOOL_COMMAND_NOT_STARTED', message)
    })
    const path = await findProgram(name, program.env.PATH, program.cwd)
    if (path === undefined) {
      const message = `The command ${name} was not found on this machine. Use another tool, or ask the user to install it.`
      throw new ToolFailure('TOOL_COMMAND_NOT_FOUND', message)
    }
    const { gate, guardedPaths, isComplete } = await createGate(this.#setup, program)
    const before = await readIdentities(guardedPaths)
    return {
      command: [bwrap, ...gateArguments, '--', path, ...words],
      gate,
      // Passed to bwrap itself: variables that bwrap clears can still be read from the first process inside.
      env: { ...program.env, TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp', ...(await this.#caches()) },
      closed: describeClosed(program.network),
      end: async () => {
        const now = await findProtected(bounds.roots)
        const after = await readIdentities(new Set([...guardedPaths, ...now.names]))
        const createdPaths = [...after].filter(([one, identity]) => before.get(one) !== identity).map(([one]) => one)
        const notes = [
          ...(createdPaths.length === 0 ? [] : [describeCreated(createdPaths)]),
          ...(isComplete && !now.isComplete ? [`[${describeUnsearched()}]`] : []),
        ]
        return notes.length === 0 ? undefined : notes.join('\n')
      },
    }
  }

  /** A missing cache can't be covered by an empty one, so programs get another place. */
  async #caches(): Promise<Record<string, string>> {
    const [home] = findHomes(this.#setup.bounds.env)
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
