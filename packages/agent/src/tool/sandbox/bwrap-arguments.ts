import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { findProtected } from '../../files/find-protected.ts'
import { isInside } from '../../files/local-file.ts'
import { protectedNameIn } from '../../files/protected-names.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { CACHES_AT_HOME, findHomes, hiddenPaths } from './hidden-paths.ts'
import type { MountPlan } from './mount-table.ts'
import type { Bounds, Program } from './sandbox.ts'

/** The best first: one that allows no further namespaces inside, then one only if the machine supports it. */
export const userNamespaces: readonly (readonly string[])[] = [
  ['--unshare-user', '--disable-userns'],
  ['--unshare-user-try'],
]

/** Own namespaces, no privileges, and an end together with the parent process. */
const ISOLATION: readonly string[] = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
]

/** Where sockets and other users' temporary files are. */
const PRIVATE_FOLDERS: readonly string[] = ['/tmp', '/var/tmp', '/run', '/var/run']

/** Parts of `/run` without sockets. Programs need them to be found. */
const OPEN_IN_RUN: readonly string[] = ['/run/current-system', '/run/opengl-driver']
const RESOLVER = '/etc/resolv.conf'

const MOST_SOCKETS = 1000

/** `bwrap` accepts at most 9000 arguments, and each mount takes longer the more there are. */
const MOST_MOUNTS = 1000

/** What a run has protected and hidden so far. Nothing is ever removed from it, whatever a later search finds. */
export interface MountHistory {
  /** The run has begun: later sockets may belong to its own programs, which can move them. */
  hasBegun: boolean
  names: Set<string>
  hidden: Set<string>
  sockets: Set<string>
}

export interface BwrapArguments {
  arguments: string[]
  /** What must be mounted in the end, and how. */
  plan: MountPlan
  /** Paths that are read-only by name in the writable folders. */
  guardedPaths: ReadonlySet<string>
  /** Every entry of the roots was searched. */
  isComplete: boolean
}

/** A mount. Of two at the same path, the later kind applies. */
interface Mount {
  kind: 'empty' | 'open' | 'root' | 'pinned' | 'kept' | 'hidden'
  path: string
}

/** The arguments of `bwrap` for one program, up to the program itself. Adds to the run's history. */
export async function bwrapArguments(
  bounds: Bounds,
  { cwd, network }: Pick<Program, 'cwd' | 'network'>,
  history: MountHistory,
  namespaces: readonly string[],
): Promise<BwrapArguments> {
  const { env } = bounds
  const { names, sockets: inRoots, isComplete } = await findProtected(bounds.roots)
  for (const name of names) history.names.add(name)
  const protectedPaths = new Set([...history.names, ...bounds.protectedPaths])
  const hidden = await findExisting([...hiddenPaths(env), ...bounds.hiddenPaths, ...history.hidden])
  for (const path of hidden) history.hidden.add(path)
  const existingProtected = await findExisting(protectedPaths)
  const roots = findRoots(bounds, existingProtected, hidden)
  const empty = await emptyFolders(env)
  const isSeen = (path: string): boolean => !isCovered(path, hidden, roots)
  const inRoot = (path: string): boolean => roots.some(root => path !== root && isInside(root, path))
  const guarded = existingProtected.filter(path => inRoot(path) && isSeen(path) && !roots.includes(path))
  const sockets = (await findSockets(env, [...inRoots, ...history.sockets])).filter(
    path => isSeen(path) && !isCovered(path, empty, roots),
  )
  if (!history.hasBegun) for (const path of sockets) history.sockets.add(path)
  history.hasBegun = true
  const closedPaths = [...guarded, ...hidden]
  const pinned = findPinned(
    [...closedPaths, ...roots, ...sockets.filter(path => history.sockets.has(path))],
    closedPaths,
    roots,
  )
  const mounts: Mount[] = [
    ...empty.map(path => ({ kind: 'empty', path }) as const),
    ...(await openPlaces(network)).map(path => ({ kind: 'open', path }) as const),
    ...roots.map(path => ({ kind: 'root', path }) as const),
    ...pinned.map(path => ({ kind: 'pinned', path }) as const),
    ...guarded.map(path => ({ kind: 'kept', path }) as const),
    ...[...hidden, ...sockets].map(path => ({ kind: 'hidden', path }) as const),
  ]
  if (mounts.length > MOST_MOUNTS) throw tooMany(mounts.length)
  // Hidden paths come last, whatever the depth: only those that are open inside a hidden folder come after it.
  const isLate = ({ kind, path }: Mount): boolean => kind === 'hidden' || isCovered(path, hidden, [])
  const sorted = mounts.sort((a, b) => Number(isLate(a)) - Number(isLate(b)) || getDepth(a.path) - getDepth(b.path))
  const plan = new Map<string, 'empty' | 'writable' | 'readable'>()
  const lists: string[] = []
  for (const mount of sorted) {
    const list = await toArguments(mount)
    lists.push(...list)
    if (list.length > 0) plan.set(mount.path, PLANNED[mount.kind])
  }
  const base = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc']
  const list = [...namespaces, ...ISOLATION, ...(network ? [] : ['--unshare-net']), ...base, ...lists, '--chdir', cwd]
  return { arguments: list, plan, guardedPaths: protectedPaths, isComplete }
}

const PLANNED = {
  empty: 'empty',
  open: 'readable',
  root: 'writable',
  pinned: 'writable',
  kept: 'readable',
  hidden: 'empty',
} as const

function tooMany(count: number): ToolFailure {
  const message =
    `The program was not started: ${count} places in the run's folders would need protection, but no more than ` +
    `${MOST_MOUNTS} can be protected. They include files that other programs obey (\`.git\`, settings). The user should check what created them.`
  return new ToolFailure('TOOL_COMMAND_NOT_STARTED', message)
}

/**
 * The folders to mount as writable. A nested folder is already part of the outer one, and gets its own mount only to
 * open it inside a protected or hidden one. A hidden place is opened only by its own name, never by a link to it.
 */
function findRoots({ roots, links }: Bounds, guardedPaths: readonly string[], hidden: readonly string[]): string[] {
  const isHidden = (root: string): boolean => hidden.some(path => isInside(path, root))
  return roots.filter(root => {
    if (isHidden(root) && links?.has(root) === true) return false
    const outer = roots.find(one => one !== root && isInside(one, root))
    if (outer === undefined) return true
    const isKept =
      protectedNameIn(relative(outer, root)) !== undefined || guardedPaths.some(path => isInside(path, root))
    return isKept || isHidden(root)
  })
}

/**
 * The folders between a root and a closed path in it. Each becomes a mount point, which can't be renamed or removed.
 * Otherwise a program could move away the folder around a protected one and recreate it with other content.
 */
function findPinned(paths: readonly string[], closedPaths: readonly string[], roots: readonly string[]): string[] {
  const [ends, isRoot] = [new Set(closedPaths), new Set(roots)]
  const pinned = new Set<string>()
  for (const path of paths) {
    let folders: string[] = []
    let at = dirname(path)
    for (; !isRoot.has(at) && at !== '/'; at = dirname(at)) {
      // Everything below a closed folder is closed with it.
      if (ends.has(at)) folders = []
      else folders.push(at)
    }
    if (isRoot.has(at)) for (const folder of folders) pinned.add(folder)
  }
  return [...pinned]
}

function getDepth(path: string): number {
  return path.split('/').length
}

async function toArguments({ kind, path }: Mount): Promise<string[]> {
  switch (kind) {
    case 'root':
    case 'pinned':
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

/** Covers a folder with an empty one and a file with nothing. A path that no longer exists needs no cover. */
async function hide(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined) return []
  return stats.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}

/** Whether a path is in one of these folders, and in no root inside it. */
function isCovered(path: string, folders: readonly string[], roots: readonly string[]): boolean {
  return folders.some(
    folder => isInside(folder, path) && !roots.some(root => isInside(folder, root) && isInside(root, path)),
  )
}

/** The folders that a program finds empty, as real paths: temporary files, sockets, caches. */
async function emptyFolders(env: Bounds['env']): Promise<string[]> {
  const runtimeFolder = env.XDG_RUNTIME_DIR?.startsWith('/') === true ? [env.XDG_RUNTIME_DIR] : []
  const caches = findHomes(env).flatMap(home => CACHES_AT_HOME.map(name => join(home, name)))
  const folders = await findExisting([...PRIVATE_FOLDERS, ...runtimeFolder, ...caches])
  return folders.filter(path => path !== '/')
}

async function openPlaces(network: boolean): Promise<string[]> {
  const folders = await findExisting(network ? [...OPEN_IN_RUN, RESOLVER] : OPEN_IN_RUN)
  return folders.filter(path => path.startsWith('/run/'))
}

/** Other programs' Unix sockets that have a path. A closed network doesn't close them. */
async function findSockets(
  { SSH_AUTH_SOCK: agent }: Bounds['env'],
  knownSockets: readonly string[],
): Promise<string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  const systemSockets = table.split('\n').flatMap(line => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? [])
  const sockets: string[] = []
  for (const path of await findExisting([
    ...(agent?.startsWith('/') === true ? [agent] : []),
    ...knownSockets,
    ...systemSockets,
  ])) {
    if (sockets.length === MOST_SOCKETS) break
    const status = await lstat(path).catch(() => undefined)
    if (status?.isSocket() === true) sockets.push(path)
  }
  return sockets
}

async function findExisting(paths: Iterable<string>): Promise<string[]> {
  const realPaths = await Promise.all(Array.from(new Set(paths), path => realpath(path).catch(() => undefined)))
  return [...new Set(realPaths)].filter(path => path !== undefined)
}
