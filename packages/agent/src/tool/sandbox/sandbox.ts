import type { StartGate } from './start-gate.ts'

/** `auto` confines programs where that works, `require` runs none unconfined, `off` confines none. */
export type SandboxMode = 'auto' | 'require' | 'off'

export const sandboxModes: readonly SandboxMode[] = ['auto', 'require', 'off']

/** The program of a call. */
export interface Program {
  /** The program and its arguments. */
  command: readonly [string, ...string[]]
  cwd: string
  /** What the program may know of the environment: no keys. */
  env: Readonly<Record<string, string>>
  /** The program may use the network. */
  network: boolean
}

/** How a program is started, and what is to be done after it. */
export interface Launch {
  command: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
  /** For a result that failed: what was closed, and how to open it. */
  closed?: string
  /** What lets the program begin, if something has to be looked at first. */
  gate?: StartGate
  /** Is called once the program has ended; gives what the reader of the result must know. */
  end?: () => Promise<string | undefined>
}

/** The boundary that programs of tools run in. */
export interface Sandbox {
  /** `none`: programs run with all that the user may do. */
  readonly kind: 'bwrap' | 'sandbox-exec' | 'none'
  /** Which boundary holds for a program, in a sentence for the person who is asked about a call. */
  describe(network: boolean): string
  /** Prepares a start. Throws a `ToolFailure` if the program must not or cannot be started. */
  launch(program: Program): Promise<Launch>
}

/** Whether a boundary holds at all. */
export function isConfining(sandbox: Sandbox | undefined): boolean {
  return sandbox !== undefined && sandbox.kind !== 'none'
}

/** What a boundary is drawn around. */
export interface Bounds {
  /** The folders that programs may change, as real paths. */
  roots: readonly string[]
  /** Those of them that were named by a link only. */
  links?: ReadonlySet<string>
  /** What they may not change even there. */
  protectedPaths: readonly string[]
  /** What they may not see, in addition to the user's secrets. */
  hiddenPaths: readonly string[]
  /** The whole environment of the run: it says where homes and sockets are. */
  env: Readonly<Record<string, string | undefined>>
}
