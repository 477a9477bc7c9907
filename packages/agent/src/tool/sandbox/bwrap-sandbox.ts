import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { defined } from '@argot/core/stream/internal'
import { findProtected } from '../../files/find-protected.ts'
import { isInside } from '../../files/local-file.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { bwrapArguments, type Memory, userNamespaces } from './bwrap-arguments.ts'
import { describeClosed, describeConfined, describeMade, describeUnsearched } from './describe-closed.ts'
import { findProgram } from './find-program.ts'
import { CACHES_AT_HOME, findHomes } from './hidden-paths.ts'
import { findMountProblem, type MountRow, parseMounts } from './mount-table.ts'
import type { Bounds, Launch, Program, Sandbox } from './sandbox.ts'
import { gateArguments, StartGate } from './start-gate.ts'

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
  const memory: Memory = { hasBegun: false, names: new Set(), hidden: new Set(), sockets: new Set() }
  let problem: string | undefined
  for (const namespaces of userNamespaces) {
    const setup: Setup = { bwrap, bounds, memory, namespaces }
    const answer = await probe(setup)
    if (typeof answer !== 'string') return new BwrapSandbox(setup, answer.isComplete)
    problem = answer
  }
  return { missing: `\`bwrap\` does not work: ${problem}` }
}

/** What every start of a run has in common. */
interface Setup {
  bwrap: string
  bounds: Bounds
  memory: Memory
  namespaces: readonly string[]
}

/**
 * Prints the settings of the kernel that can be opened for writing. Nothing is ever written: `true >> FILE` opens it and no
 * more. As root their modes allow it, so only the mounts keep programs out.
 */
const PROBE_SCRIPT = `for file in ${[
  ...['/proc/*', '/proc/sys/*/*', '/proc/sys/*/*/*', '/proc/irq/*', '/proc/bus/*/*', '/proc/acpi/*', '/proc/scsi/*'],
  ...['/proc/fs/*/*', '/proc/self/mem', '/sys/kernel/*', '/sys/power/*', '/sys/module/*/parameters/*'],
  ...['/sys/fs/cgroup/*', '/sys/fs/cgroup/*/*'],
].join(' ')}; do if [ -f "$file" ] && true >> "$file"; then echo "$file"; fi; done 2>/dev/null; echo done`

/** Starts a shell with everything closed, and gives what went wrong each time. */
async function probe(setup: Setup): Promise<{ isComplete: boolean } | string> {
  let problem = ''
  for (let tries = 0; tries < PROBES; tries++) {
    try {
      const { gate, isComplete } = await makeGate(setup, { cwd: '/', network: false })
      const opened = (await startProbe(setup.bwrap, gate)).split('\n').filter(line => line !== '')
      if (opened.at(-1) === 'done' && opened.length === 1) return { isComplete }
      problem =
        opened.at(-1) === 'done'
          ? `settings of the kernel can be changed inside (${opened[0]})`
          : 'no shell runs in it that could look around'
    } catch (error) {
      problem = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? ''
    }
  }
  return problem
}

/** Runs the script of the probe, and gives what it printed. */
async function startProbe(bwrap: string, gate: StartGate): Promise<string> {
  const command = [...gateArguments, '--', '/bin/sh', '-c', PROBE_SCRIPT]
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'] as const
  const child = spawn(bwrap, command, { env: {}, cwd: '/', stdio: [...stdio] })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const [stdout, stderr] = [text(child.stdout!), text(child.stderr!)]
  // Whichever fails first is reported; none may be left without a reader.
  for (const one of [failed, stdout, stderr]) one.catch(() => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_MS)
  try {
    await Promise.race([gate.open(child), failed])
    await ended
  } catch (error) {
    const words = (await stderr).trim()
    throw words === '' ? error : new Error(words, { cause: error })
  } finally {
    clearTimeout(timer)
  }
  return stdout
}

/** The gate of one program, and what its sandbox protects. */
async function makeGate(
  { bounds, memory, namespaces }: Setup,
  program: Pick<Program, 'cwd' | 'network'>,
): Promise<{ gate: StartGate; kept: ReadonlySet<string>; isComplete: boolean }> {
  const { arguments: list, plan, kept, isComplete } = await bwrapArguments(bounds, program, memory, namespaces)
  const gate = new StartGate(list, async pid => {
    const read = (one: string): Promise<MountRow[]> => readFile(`/proc/${one}/mountinfo`, 'utf8').then(parseMounts)
    try {
      return findMountProblem(await read('self'), await read(String(pid)), plan)
    } catch {
      return 'its mounts cannot be read'
    }
  })
  return { gate, kept, isComplete }
}

/**
 * Which file or folder each path is now. What is read-only cannot be replaced, but a folder around it can be moved away and
 * made again.
 */
async function identities(paths: Iterable<string>): Promise<Map<string, string>> {
  const identityByPath = new Map<string, string>()
  for (const path of paths) {
    const status = await lstat(path).catch(() => undefined)
    if (status !== undefined) identityByPath.set(path, `${status.dev}:${status.ino}`)
  }
  return identityByPath
}

class BwrapSandbox implements Sandbox {
  readonly kind = 'bwrap'
  readonly #setup: Setup
  /** Every entry of the roots was looked at when the run began. */
  readonly #isComplete: boolean

  constructor(setup: Setup, isComplete: boolean) {
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
      const message = `The command ${name} could not be started: its working directory ${program.cwd} does not exist.`
      throw new ToolFailure('TOOL_COMMAND_NOT_STARTED', message)
    })
    const path = await findProgram(name, program.env.PATH, program.cwd)
    if (path === undefined) {
      const message = `The command ${name} was not found on this machine. Use another tool, or ask the user to install it.`
      throw new ToolFailure('TOOL_COMMAND_NOT_FOUND', message)
    }
    const { gate, kept, isComplete } = await makeGate(this.#setup, program)
    const before = await identities(kept)
    return {
      command: [bwrap, ...gateArguments, '--', path, ...words],
      gate,
      // Given to bwrap itself: what it is told to clear can still be read from the first process inside.
      env: { ...program.env, TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp', ...(await this.#caches()) },
      closed: describeClosed(program.network),
      end: async () => {
        const now = await findProtected(bounds.roots)
        const after = await identities(new Set([...kept, ...now.names]))
        const createdPaths = [...after].filter(([one, identity]) => before.get(one) !== identity).map(([one]) => one)
        const notes = [
          ...(createdPaths.length === 0 ? [] : [describeMade(createdPaths)]),
          ...(isComplete && !now.isComplete ? [`[${describeUnsearched()}]`] : []),
        ]
        return notes.length === 0 ? undefined : notes.join('\n')
      },
    }
  }

  /** A cache that is not there cannot be covered by an empty one, so programs are given another place. */
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
