import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ArgotError } from 'argot'
import { type ElementNode, parseTree, type Tree } from 'argot/chatmd'
import { decodeUtf8, firstBadByte } from '../resolver/decode-text.ts'
import { Refusal } from '../resolver/refusal.ts'
import { createFile, type Disk, isSystemError, syncFolder, syncPath } from './disk.ts'
import { listFolder } from './run-log-file.ts'
import { attributeOf, topElements } from './written-element.ts'

export interface Repaired {
  /** The document without its cut end. */
  source: string
  tree: Tree
  notice?: string
}

/** The elements that a run appends. */
const writtenTags = ['<assistant', '<reasoning', '<tool_call', '<tool_response', '<user'] as const

/**
 * Reads a document. Where a crash cut off the last element of a run, its bytes are moved to `.chatmd/tail-N.txt`.
 * `appendedFrom` is the byte from which on a run has written, where a log says so. Any other mistake in the text is left
 * to the reader; bytes that are not UTF-8 are an `ArgotError`.
 */
export async function repairTail(
  disk: Disk,
  file: string,
  bytes: Buffer,
  appendedFrom: number | undefined,
): Promise<Repaired> {
  const { source, problem } = decode(file, bytes)
  const tree = parseTree(source)
  const cutAt = tree.cutAt
  const from = appendedFrom === undefined ? undefined : bytes.toString('utf8', 0, appendedFrom).length
  if (cutAt === undefined || !isOurs(tree, cutAt, from)) {
    if (problem !== undefined) throw problem
    return { source, tree }
  }
  const { name, kept } = await cutDocument(disk, file, source, cutAt, bytes)
  const notice = `The end of \`${basename(file)}\` had been cut off in the middle of an element. What was left of it was moved to \`${name}\`.`
  return { source: kept, tree: parseTree(kept), notice }
}

/** Moves the text from `at` on into a file `.chatmd/tail-N.txt`, which is on the disk before the document is cut. */
export async function cutDocument(
  disk: Disk,
  file: string,
  source: string,
  at: number,
  bytes: Uint8Array = Buffer.from(source),
): Promise<{ name: string; kept: string }> {
  const kept = source.slice(0, at)
  const size = Buffer.byteLength(kept)
  const name = await keepTail(disk, join(dirname(file), '.chatmd'), bytes.subarray(size))
  const fd = disk.open(file, constants.O_WRONLY)
  try {
    disk.truncate(fd, size)
    await disk.sync(fd)
  } finally {
    disk.close(fd)
  }
  return { name: `.chatmd/${name}`, kept }
}

/** The text of the bytes; `problem` where the last character is not whole, as a cut leaves it. */
function decode(file: string, bytes: Buffer): { source: string; problem?: ArgotError } {
  const options = { name: file, keepBom: true, allowNul: true }
  try {
    return { source: decodeUtf8(bytes, options) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, cure } = error.problem
    const problem = new ArgotError(code, cure === undefined ? message : `${message} ${cure}`)
    const bad = firstBadByte(bytes)
    if (bad < bytes.length - 3 || bytes[bad]! < 0xc2) throw problem
    return { source: decodeUtf8(bytes.subarray(0, bad), options), problem }
  }
}

/**
 * True for an element that a run wrote: its tag says so, or it stands where only a run writes and has not even a whole
 * tag.
 */
function isOurs(tree: Tree, cutAt: number, from: number | undefined): boolean {
  const elements = topElements(tree)
  const cut = elements.find(node => node.start === cutAt)
  if (cut !== undefined && isWritten(cut)) return true
  if (cut?.complete === true) return false
  const text = tree.source.slice(cutAt, cutAt + 20)
  if (!writtenTags.some(tag => text.startsWith(tag) || tag.startsWith(text))) return false
  return (from !== undefined && cutAt >= from) || elements.some(node => node.start < cutAt && isWritten(node))
}

function isWritten(node: ElementNode): boolean {
  if (node.name === 'user') return attributeOf(node, 'created') !== undefined
  const tag = `<${node.name}`
  if (!writtenTags.some(one => one === tag)) return false
  return attributeOf(node, 'message') !== undefined || attributeOf(node, 'run') !== undefined
}

/** Writes what is taken away into a new file of its own, and waits until the disk has it. */
async function keepTail(disk: Disk, folder: string, bytes: Uint8Array): Promise<string> {
  const numbers = listFolder(folder).map(name => Number(/^tail-([0-9]{1,15})\.txt$/.exec(name)?.[1] ?? -1))
  for (let number = numbers.reduce((most, one) => Math.max(most, one), -1) + 1; ; number++) {
    const name = `tail-${number}.txt`
    try {
      createFile(disk, join(folder, name), bytes)
    } catch (error) {
      if (isSystemError(error, 'EEXIST')) continue
      throw error
    }
    await syncPath(disk, join(folder, name))
    await syncFolder(disk, folder)
    return name
  }
}
