import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findProtected } from '../../files/find-protected.ts'
import { isInside } from '../../files/local-file.ts'
import { CACHES_AT_HOME, hiddenPaths, homesOf } from './hidden-paths.ts'
import type { Bounds, Program } from './sandbox.ts'

/** Namespaces of its own, no rights, and an end together with the one that started it. */
const ALONE: readonly string[] = [
  ...['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
]

/** Where sockets and other people's temporary files are. */
const PRIVATE_FOLDERS: readonly string[] = ['/tmp', '/var/tmp', '/run', '/var/run']

/** Parts of `/run` without sockets that programs need to be found, or to find names in the network. */
const OPEN_IN_RUN: readonly string[] = ['/run/current-system', '/run/opengl-driver']
const RESOLVER = '/etc/resolv.conf'

/** This many sockets are hidden one by one. */
const MOST_SOCKETS = 1000

export interface BwrapArguments {
  arguments: string[]
  /** What was read-only by its name in the folders that programs may change. */
  kept: ReadonlySet<string>
}

/** What is mounted at a path: the outer paths first, and of two at the same path the later kind counts. */
interface Mount {
  kind: 'empty' | 'open' | 'root' | 'kept' | 'hidden'
  path: string
}

/** The arguments of `bwrap` for one program, up to the program itself. */
export async function bwrapArguments(bounds: Bounds, { cwd, network }: Program): Promise<BwrapArguments> {
  const { roots, env } = bounds
  const { names: kept, sockets: inRoots } = await findProtected(roots)
  const hidden = await existing([...hiddenPaths(env), ...bounds.hiddenPaths])
  const empty = await emptyFolders(env)
  const isSeen = (path: string): boolean => !isCovered(path, hidden, roots)
  const inRoot = (path: string): boolean => roots.some(root => path !== root && isInside(root, path))
  const guarded = (await existing([...kept, ...bounds.protectedPaths])).filter(path => inRoot(path) && isSeen(path))
  const sockets = (await findSockets(env, inRoots)).filter(path => isSeen(path) && !isCovered(path, empty, roots))
  const mounts: Mount[] = [
    ...empty.map(path => ({ kind: 'empty', path }) as const),
    ...(await openPlaces(network)).map(path => ({ kind: 'open', path }) as const),
    ...roots.map(path => ({ kind: 'root', path }) as const),
    ...guarded.map(path => ({ kind: 'kept', path }) as const),
    ...[...hidden, ...sockets].map(path => ({ kind: 'hidden', path }) as const),
  ]
  const lists = await Promise.all(mounts.sort((a, b) => depthOf(a.path) - depthOf(b.path)).map(toArguments))
  const base = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
  const list = [...ALONE, ...(network ? [] : ['--unshare-net']), ...base, ...lists.flat(), '--chdir', cwd, '--']
  return { arguments: list, kept }
}

function depthOf(path: string): number {
  return path.split('/').length
}

async function toArguments({ kind, path }: Mount): Promise<string[]> {
  switch (kind) {
    case 'root':
      return ['--bind', path, path]
    case 'open':
    case 'kept':
      return ['--ro-bind', path, path]
    case 'empty':
      return ['--tmpfs', path]
    case 'hidden':
      return hide(path)
  }
}

/** Covers a folder with an empty one and a file with nothing; what has gone meanwhile needs no cover. */
async function hide(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return []
  return found.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}

/** Whether a path is in one of these folders, and in no root inside of that. */
function isCovered(path: string, folders: readonly string[], roots: readonly string[]): boolean {
  return folders.some(
    folder => isInside(folder, path) && !roots.some(root => isInside(folder, root) && isInside(root, path)),
  )
}

/** The folders that a program finds empty, as real paths: temporary files, sockets, caches. */
async function emptyFolders(env: Bounds['env']): Promise<string[]> {
  const own = env.XDG_RUNTIME_DIR?.startsWith('/') === true ? [env.XDG_RUNTIME_DIR] : []
  const caches = homesOf(env).flatMap(home => CACHES_AT_HOME.map(name => join(home, name)))
  const found = await existing([...PRIVATE_FOLDERS, ...own, ...caches])
  return found.filter(path => path !== '/')
}

async function openPlaces(network: boolean): Promise<string[]> {
  const found = await existing(network ? [...OPEN_IN_RUN, RESOLVER] : OPEN_IN_RUN)
  return found.filter(path => path.startsWith('/run/'))
}

/** The Unix sockets of other programs that can be reached by a path. A closed network does not close them. */
async function findSockets({ SSH_AUTH_SOCK: agent }: Bounds['env'], known: readonly string[]): Promise<string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  const listed = table.split('\n').flatMap(line => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? [])
  const found: string[] = []
  for (const path of await existing([...(agent?.startsWith('/') === true ? [agent] : []), ...known, ...listed])) {
    if (found.length === MOST_SOCKETS) break
    const status = await lstat(path).catch(() => undefined)
    if (status?.isSocket() === true) found.push(path)
  }
  return found
}

/** The real paths of those that exist, without repetitions. */
async function existing(paths: Iterable<string>): Promise<string[]> {
  const found = await Promise.all(Array.from(new Set(paths), path => realpath(path).catch(() => undefined)))
  return [...new Set(found)].filter(path => path !== undefined)
}
