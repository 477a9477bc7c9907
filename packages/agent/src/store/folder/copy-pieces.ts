import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LogLine } from '@argot/core/stream'
import { logHeader } from '@argot/core/stream/internal'
import { createWhole } from '../../files/write-all.ts'
import { mark, resumeMark } from '../marks.ts'
import { Seal } from '../seal.ts'
import { nodeDisk } from './disk.ts'
import { findRealFolder, inboxPath, logPath, makeFolder, payloadsIn, sidecarPath } from './layout.ts'
import { isPiece } from './log-file.ts'
import { scanLog } from './scan-log.ts'

/** Exactly as on disk; undefined if a file doesn't exist. */
export interface RawPieces {
  document: Buffer
  payloads: string[]
  sidecar: Buffer | undefined
  tails: ReadonlyMap<string, Buffer>
  log(run: string): Buffer | undefined
  inbox(run: string): Buffer | undefined
}

export function readPieces(root: string, path: string): RawPieces {
  const file = join(root, path)
  const document = readFileSync(file)
  const tails = findRealFolder(file, 'tails', basename(file))
  const names = tails === undefined ? [] : readdirSync(tails)
  return {
    document,
    payloads: payloadsIn(document.toString()),
    sidecar: readIfExists(sidecarPath(file)),
    tails: new Map(names.map(name => [name, readFileSync(join(tails!, name))])),
    log: run => readIfExists(logPath(file, run)),
    inbox: run => readIfExists(inboxPath(file, run)),
  }
}

function readIfExists(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined
}

/** A line, and a number for the process that wrote it: different numbers mean different processes. */
export interface CopiedLine extends LogLine {
  holder: number
}

export interface CopiedLog {
  run: string
  /** The beginning of the log, as it was when the log was last in a folder. */
  raw: Buffer | undefined
  /** The lines after that. */
  lines: readonly CopiedLine[]
}

/** Writes a log where a folder store finds it, signed with this key. An existing longer log stays. */
export async function writeLog(root: string, path: string, log: CopiedLog, key: Uint8Array | undefined): Promise<void> {
  const file = join(root, path)
  const target = logPath(file, log.run)
  await makeFolder(nodeDisk, file, 'runs', basename(file))
  const draft = `${target}.copy`
  rmSync(draft, { force: true })
  if (log.raw !== undefined) createWhole(draft, log.raw)
  const before = log.raw === undefined ? undefined : scanLog(draft, key)
  rmSync(draft, { force: true })
  const rest = log.lines.length === 0 && before !== undefined ? '' : formatLines(log.lines, key, before)
  const bytes = Buffer.concat([log.raw?.subarray(0, before?.size) ?? Buffer.alloc(0), Buffer.from(rest)])
  const existing = readIfExists(target)
  if (existing !== undefined && existing.length >= bytes.length) return
  rmSync(target, { force: true })
  createWhole(target, bytes, { sync: true })
}

export async function writePieces(
  root: string,
  path: string,
  {
    sidecar,
    tails,
    inboxes,
  }: { sidecar: Buffer | undefined; tails: ReadonlyMap<string, Buffer>; inboxes: ReadonlyMap<string, Buffer> },
): Promise<void> {
  const file = join(root, path)
  for (const [name, bytes] of tails)
    createOnce(join(await makeFolder(nodeDisk, file, 'tails', basename(file)), name), bytes)
  if (sidecar !== undefined) {
    await makeFolder(nodeDisk, file, 'sidecars')
    createOnce(sidecarPath(file), sidecar)
  }
  for (const [run, bytes] of inboxes) {
    await makeFolder(nodeDisk, file, 'inbox', basename(file))
    createOnce(inboxPath(file, run), bytes)
  }
}

/**
 * Does nothing if the file exists. A copy that is killed leaves no part of a file under its name, and the next copy
 * replaces the draft. The copy must hold the document in its source.
 */
export function createOnce(path: string, bytes: Uint8Array): void {
  if (existsSync(path) || !existsSync(dirname(path))) return
  const draft = `${path}.copy`
  rmSync(draft, { force: true })
  try {
    createWhole(draft, bytes, { sync: true })
    moveNew(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Leaves a file that another program has just created. */
function moveNew(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch {
    // Either the file exists, or the disk doesn't support hard links.
    if (!existsSync(path)) renameSync(draft, path)
  }
}

/** Also signs the last line of each process, so that the next process's signature covers all of it. */
function formatLines(
  lines: readonly CopiedLine[],
  key: Uint8Array | undefined,
  before: { signature: string | undefined; epoch: number; lastBelieved: number } | undefined,
): string {
  let text = ''
  let epoch = before?.epoch ?? 0
  let lastSigned = before?.lastBelieved ?? -1
  let holder: number | undefined
  const seal = key === undefined ? undefined : new Seal(key, before?.signature)
  if (before === undefined) {
    seal?.add(logHeader)
    text = `${logHeader}\n`
  }
  for (const [index, { o, t, chunk, holder: lineHolder }] of lines.entries()) {
    if (lineHolder !== holder) epoch++
    holder = lineHolder
    const copied = chunk.type === resumeMark ? mark(resumeMark, { epoch, after: lastSigned }) : chunk
    const line = `{"o":${o},"t":${t},${epoch === 1 ? '' : `"e":${epoch},`}"chunk":${JSON.stringify(copied)}`
    const next = lines[index + 1]
    if (seal === undefined || (isPiece(chunk) && next !== undefined && next.holder === lineHolder)) {
      seal?.add(`${line}}`)
      text += `${line}}\n`
      continue
    }
    seal.add(line)
    text += `${line},"m":"${seal.sign()}"}\n`
    lastSigned = o
  }
  return text
}
