import type { StartGate } from './start-gate.ts'

/** `auto` confines programs if that works here, `require` runs none unconfined, `off` confines none. */
export type SandboxMode = 'auto' | 'require' | 'off'

export const sandboxModes: readonly SandboxMode[] = ['auto', 'require', 'off']

export interface Program {
  command: readonly [string, ...string[]]
  cwd: string
  /** The variables that the program may know: no keys. */
  env: Readonly<Record<string, string>>
  network: boolean
}

export interface Launch {
  command: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
  /** For a failed result: what was closed, and how to open it. */
  closed?: string
  /** Lets the program start, if something must be checked first. */
  gate?: StartGate
  /** Call it once the program has ended. Resolves with a note for readers of the result. */
  end?: () => Promise<string | undefined>
}

export interface Sandbox {
  /** `none`: programs can do everything that the user can. */
  readonly kind: 'bwrap' | 'sandbox-exec' | 'none'
  /** Which boundary holds for a program, in a sentence for the person who approves the call. */
  describe(network: boolean): string
  /** Prepares a start. Throws a `ToolFailure` if the program must not or can't be started. */
  launch(program: Program): Promise<Launch>
}

export function isConfining(sandbox: Sandbox | undefined): boolean {
  return sandbox !== undefined && sandbox.kind !== 'none'
}

export interface Bounds {
  /** The folders that programs may change, as real paths. */
  roots: readonly string[]
  /** Those of the roots that were specified only by a link. */
  links?: ReadonlySet<string>
  /** Paths in the roots that programs may not change. */
  protectedPaths: readonly string[]
  /** Paths that programs may not see, in addition to the user's secrets. */
  hiddenPaths: readonly string[]
  /** The run's whole environment, which says where homes and sockets are. */
  env: Readonly<Record<string, string | undefined>>
}
