import { createHash } from 'node:crypto'

const LONGEST_NAME = 64

/**
 * Derives a tool name for each document from the paths alone. If two paths would get the same name, both get a few
 * characters of their hash, so that a new document never takes another one's name.
 */
export function nameTools(paths: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(plainName(path), (counts.get(plainName(path)) ?? 0) + 1)
  const names = new Map<string, string>()
  for (const path of paths) {
    const plain = plainName(path)
    const isTaken = counts.get(plain)! > 1 || plain.length > LONGEST_NAME
    names.set(isTaken ? `${plain.slice(0, LONGEST_NAME - 9)}_${hash(path)}` : plain, path)
  }
  return names
}

function plainName(path: string): string {
  return path.replace(/\.chatmd$/, '').replace(/[^A-Za-z0-9_-]/g, '_')
}

function hash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8)
}
