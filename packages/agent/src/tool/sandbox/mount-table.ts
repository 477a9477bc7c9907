import { join, relative } from 'node:path'

/** A line of `/proc/PID/mountinfo`. */
export interface MountRow {
  id: string
  parent: string
  device: string
  /** What is mounted, as a path on its device. */
  root: string
  path: string
  type: string
  isReadOnly: boolean
}

/** What a sandbox must look like: what is mounted at each path. */
export type MountPlan = ReadonlyMap<string, 'empty' | 'writable' | 'readable'>

export function parseMounts(text: string): MountRow[] {
  return text.split('\n').flatMap(line => {
    const [before = '', after = ''] = line.split(' - ')
    const [id, parent, device, root, path, options] = before.split(' ')
    const [type, , own] = after.split(' ')
    if (id === undefined || parent === undefined || device === undefined || root === undefined) return []
    if (path === undefined || options === undefined || type === undefined || own === undefined) return []
    const isReadOnly = [options, own].some(list => list.split(',').includes('ro'))
    return [{ id, parent, device, root: unquote(root), path: unquote(path), type, isReadOnly }]
  })
}

function unquote(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** Every sandbox has its own. */
const OWN_MOUNTS: readonly string[] = ['/proc', '/dev']

/** Both are absolute and without `..`, so a string comparison is enough; a sandbox may have thousands of mounts. */
function isInside(folder: string, path: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`)
}

/** The rows that are reachable by a path, which means not under another mount. */
function findVisible(rows: readonly MountRow[]): MountRow[] {
  const byId = new Map(rows.map(row => [row.id, row]))
  const byParent = new Map<string, MountRow[]>()
  for (const row of rows) byParent.set(row.parent, [...(byParent.get(row.parent) ?? []), row])
  const answers = new Map<string, boolean>()
  const isReachable = (row: MountRow): boolean => {
    const before = answers.get(row.id)
    if (before !== undefined) return before
    answers.set(row.id, true)
    const parent = byId.get(row.parent)
    const isCovered = (byParent.get(row.parent) ?? []).some(
      other => other.path !== row.path && isInside(other.path, row.path),
    )
    const answer = parent === undefined || parent === row || (!isCovered && isReachable(parent))
    answers.set(row.id, answer)
    return answer
  }
  return rows.filter(
    row => isReachable(row) && !(byParent.get(row.id) ?? []).some(other => other !== row && other.path === row.path),
  )
}

/**
 * What is wrong with a sandbox's mounts, compared with the machine's; undefined if nothing is. They are right if every
 * path shows what the machine shows there, or nothing; if everything planned is mounted; and if everything else is
 * read-only. This detects every path that changed while the sandbox was being created.
 */
export function findMountProblem(
  machine: readonly MountRow[],
  inside: readonly MountRow[],
  plan: MountPlan,
): string | undefined {
  const outside = findVisible(machine)
  const devices = new Set(machine.map(({ device }) => device))
  const rows = findVisible(inside)
  const isEmpty = ({ type, root, device }: MountRow): boolean =>
    (type === 'tmpfs' && root === '/' && !devices.has(device)) || root === '/null'
  for (const row of rows) {
    const planned = plan.get(row.path)
    if (planned === 'empty') {
      if (!isEmpty(row)) return `${row.path} is not hidden`
      continue
    }
    if (planned === undefined && OWN_MOUNTS.includes(row.path)) {
      if (devices.has(row.device)) return `${row.path} belongs to the host`
      if (row.path === '/proc' && !row.isReadOnly) return '/proc is not read-only'
      continue
    }
    if (planned === undefined && isInside('/dev', row.path)) continue
    if (isEmpty(row) || !isSameAsMachine(row, outside)) return `${row.path} doesn't show the expected content`
    if (!row.isReadOnly && nearestPlan(row.path, plan) !== 'writable') return `${row.path} is not read-only`
  }
  const paths = new Set(rows.map(({ path }) => path))
  const missing = [...OWN_MOUNTS, ...plan.keys()].find(path => !paths.has(path))
  return missing === undefined ? undefined : `${missing} is not mounted`
}

function isSameAsMachine(row: MountRow, outside: readonly MountRow[]): boolean {
  if (isInside('/proc', row.path) || isInside('/sys', row.path)) return true
  let source: MountRow | undefined
  for (const one of outside) {
    if (isInside(one.path, row.path) && (source === undefined || one.path.length >= source.path.length)) source = one
  }
  return source?.device === row.device && join(source.root, relative(source.path, row.path)) === row.root
}

function nearestPlan(path: string, plan: MountPlan): 'empty' | 'writable' | 'readable' | undefined {
  let around = ''
  for (const one of plan.keys()) if (one.length > around.length && isInside(one, path)) around = one
  return plan.get(around)
}
