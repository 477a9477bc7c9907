import { spawnSync } from 'node:child_process'

const flags = ['--pid', '--uts', '--fork', '--kill-child', '--mount-proc']

/** Why this user cannot start a process in another name space; undefined if it can. */
export function whyNoContainers(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has name spaces'
  const { status, error } = spawnSync('unshare', [...flags, 'hostname', 'argot-test'], { stdio: 'ignore' })
  if (error !== undefined) return 'there is no program `unshare`'
  return status === 0 ? undefined : 'this user may not use `unshare --pid --uts`'
}

/** The command that runs a program as process 1 of a machine of another name, as in a container. */
export function inContainer(name: string, program: readonly string[]): [command: string, args: string[]] {
  return ['unshare', [...flags, 'sh', '-c', 'hostname "$0" && exec "$@"', name, ...program]]
}
