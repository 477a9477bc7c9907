import { isInside } from '../../files/local-file.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { openBwrap } from './bwrap-sandbox.ts'
import { describeLinked, describeMissing, describeUnconfined } from './describe-closed.ts'
import { hiddenPaths as listHidden } from './hidden-paths.ts'
import { openRunFolders, type RunFolder, type RunFolders } from './run-folders.ts'
import type { Bounds, Sandbox, SandboxMode } from './sandbox.ts'
import { openSandboxExec } from './sandbox-exec.ts'

export interface SandboxOptions {
  /** `auto` by default. */
  mode?: SandboxMode | undefined
  /** The folders that programs may change. */
  roots: readonly string[]
  /** Paths in them that programs may not change. */
  protectedPaths?: readonly string[] | undefined
  /** Paths that programs may not see, in addition to the user's secrets. */
  hiddenPaths?: readonly string[] | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  platform?: NodeJS.Platform | undefined
}

/**
 * Finds the sandbox of this machine: `bwrap` on Linux, `sandbox-exec` on macOS. If there is none, `auto` returns a
 * sandbox that says so and confines nothing, and `require` returns one that starts nothing.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const {
    mode = 'auto',
    env = process.env,
    platform = process.platform,
    protectedPaths = [],
    hiddenPaths = [],
  } = options
  if (mode === 'off') return createUnconfined('The sandbox is off.')
  const runFolders = await openRunFolders(options.roots)
  const { folders } = runFolders
  const secrets = [...listHidden(env), ...hiddenPaths]
  const isLink = ({ path, real }: RunFolder): boolean =>
    path !== real && !secrets.some(secret => isInside(secret, path))
  const bounds: Bounds = {
    roots: folders.map(({ real }) => real),
    links: new Set(folders.filter(isLink).map(({ real }) => real)),
    protectedPaths,
    hiddenPaths,
    env,
  }
  const result = await open(platform, bounds)
  if (!('missing' in result)) return withFolderCheck(result, runFolders)
  const reason = `No sandbox is available: ${result.missing}.`
  return mode === 'require' ? createRefusing(reason) : createUnconfined(reason)
}

function open(platform: NodeJS.Platform, bounds: Bounds): Promise<Sandbox | { missing: string }> {
  if (platform === 'linux') return openBwrap(bounds)
  if (platform === 'darwin') return openSandboxExec(bounds)
  return Promise.resolve({ missing: `none is known for ${platform}` })
}

/** A sandbox that starts nothing once a folder of the run has been replaced. */
function withFolderCheck(sandbox: Sandbox, { missing, linked, check }: RunFolders): Sandbox {
  const notes = [
    ...(missing.length === 0 ? [] : [describeMissing(missing)]),
    ...(linked.length === 0 ? [] : [describeLinked(linked)]),
  ]
  return {
    kind: sandbox.kind,
    describe: network => [sandbox.describe(network), ...notes].join(' '),
    async launch(program) {
      await check()
      return sandbox.launch(program)
    },
  }
}

function createUnconfined(reason: string): Sandbox {
  return {
    kind: 'none',
    describe: () => describeUnconfined(reason),
    launch: ({ command, env }) => Promise.resolve({ command, env }),
  }
}

function createRefusing(reason: string): Sandbox {
  const message = `The program was not started, because \`--sandbox require\` lets no program run unconfined. ${reason}`
  return {
    kind: 'none',
    describe: () => message,
    launch: () => Promise.reject(new ToolFailure('TOOL_NO_SANDBOX', message)),
  }
}
