import { createHmac, randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { ArgotError } from '@argot/core'
import { FileEnd } from '../../files/write-all.ts'
import { signText, splitSigned } from '../seal.ts'
import type { OpenSidecar, Sidecar, SidecarRecord } from '../store.ts'
import { type Disk, isSystemError, syncFolder } from './disk.ts'
import { LineReader } from './line-reader.ts'

/*
 * A sidecar is a file of lines:
 *
 *     {"argot":"sidecar","v":1,"id":"…"}                     the first line
 *     {"e":3,"i":0,"record":{…},"m":"signature"}             a signed record
 *     {"record":{…}}                                         a record that this user doesn't vouch for
 *
 * A signature covers its line and the file's id, so a line from another sidecar proves nothing. `e` is the lease's
 * epoch, and `i` counts the signed records of one holder. Both only increase, so no line can be moved or repeated, and
 * a process that has lost the document can't add anything after the next holder has written.
 */

const VERSION = 1

export interface SidecarFileOptions {
  disk: Disk
  path: string
  folder: string
  key: Uint8Array | undefined
  epoch: number
  /** Throws once another process holds the document. */
  checkLease: () => void
}

interface ScannedSidecar extends Sidecar {
  /** Undefined for a file without a first line: the process that created it died. */
  id: string | undefined
  /** The size of the complete lines in bytes. */
  size: number
  exists: boolean
}

/** The records of a file, in order; none if the file doesn't exist. */
export function readSidecar(path: string, key: Uint8Array | undefined): Sidecar {
  const { version, records } = scan(path, key)
  return { version, records }
}

function scan(path: string, key: Uint8Array | undefined): ScannedSidecar {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
    return { version: VERSION, records: [], id: undefined, size: 0, exists: false }
  }
  try {
    const reader = new LineReader(fd)
    const lines: string[] = []
    for (let next = reader.next(); next.length > 0; next = reader.next()) {
      for (const line of next) lines.push('text' in line ? line.text : '')
    }
    const { version, id } = readHeader(lines[0])
    const ownKey = key === undefined || id === undefined ? undefined : sidecarKey(key)
    const records = version === VERSION ? readRecords(lines.slice(1), id, ownKey) : []
    return { version, records, id, size: reader.position, exists: true }
  } finally {
    closeSync(fd)
  }
}

function readHeader(line: string | undefined): { version: number; id: string | undefined } {
  const header = parse(line ?? '')
  const isOurs = header?.argot === 'sidecar' && typeof header.v === 'number'
  const id = typeof header?.id === 'string' && /^[\w-]{1,64}$/.test(header.id) ? header.id : undefined
  return { version: isOurs ? (header.v as number) : VERSION, id: isOurs ? id : undefined }
}

function readRecords(lines: readonly string[], id: string | undefined, key: Uint8Array | undefined): SidecarRecord[] {
  const records: SidecarRecord[] = []
  let lastSigned = { e: Number.NEGATIVE_INFINITY, i: 0 }
  for (const line of lines) {
    const value = parse(line)
    if (value === undefined || !('record' in value)) continue
    const { covered, signature } = splitSigned(line)
    const { e, i, record } = value
    const isSigned = key !== undefined && signature !== undefined && sign(key, id!, covered) === signature
    if (isSigned && typeof e === 'number' && typeof i === 'number') {
      // Another process already held the document, or the line is a copy.
      if (e < lastSigned.e || (e === lastSigned.e && i <= lastSigned.i)) continue
      lastSigned = { e, i }
    }
    records.push({ value: record, isSigned })
  }
  return records
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** A separate key for sidecars, so that signatures of logs and posts are invalid here, and vice versa. */
function sidecarKey(key: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update('argot sidecar').digest()
}

function sign(key: Uint8Array, id: string, covered: string): string {
  return signText(key, `${id}\n${covered}`)
}

/** A sidecar being written. The first record creates the file. */
export class SidecarFile implements OpenSidecar {
  readonly #options: SidecarFileOptions
  readonly #key: Uint8Array | undefined
  readonly #id: string
  #end: FileEnd | undefined
  #fd: number | undefined
  #buffer = ''
  #signedCount = 0
  #isNew: boolean
  #dirty = false

  constructor(options: SidecarFileOptions) {
    this.#options = options
    const { version, id, size, exists } = scan(options.path, options.key)
    if (version > VERSION) throw laterVersion()
    this.#id = id ?? randomUUID()
    this.#key = options.key === undefined ? undefined : sidecarKey(options.key)
    this.#isNew = !exists
    if (id === undefined) this.#buffer = `${JSON.stringify({ argot: 'sidecar', v: VERSION, id: this.#id })}\n`
    if (exists) this.#open(id === undefined ? 0 : size)
  }

  append(record: unknown, { isSigned = true }: { isSigned?: boolean | undefined } = {}): void {
    const json = JSON.stringify(record ?? null)
    if (this.#key === undefined || !isSigned) this.#buffer += `{"record":${json}}\n`
    else {
      const text = `{"e":${this.#options.epoch},"i":${this.#signedCount++},"record":${json}`
      this.#buffer += `${text},"m":"${sign(this.#key, this.#id, text)}"}\n`
    }
    this.#dirty = true
  }

  async flush(): Promise<void> {
    if (!this.#dirty || this.#buffer === '') return
    this.#options.checkLease()
    if (this.#end === undefined) this.#open(0)
    this.#end!.append(this.#buffer)
    this.#buffer = ''
  }

  async sync(): Promise<void> {
    await this.flush()
    if (!this.#dirty) return
    const { disk, folder, checkLease } = this.#options
    await disk.sync(this.#fd!)
    if (this.#isNew) await syncFolder(disk, folder)
    this.#isNew = false
    this.#dirty = false
    checkLease()
  }

  async close(): Promise<void> {
    if (this.#fd !== undefined) this.#options.disk.close(this.#fd)
    this.#fd = undefined
  }

  /** Cuts off what a crash left after the last complete line. */
  #open(size: number): void {
    const { disk, path } = this.#options
    this.#fd = disk.open(path, this.#isNew ? 'ax' : 'a')
    if (!this.#isNew) disk.truncate(this.#fd, size)
    this.#end = new FileEnd(this.#fd, size, disk)
  }
}

function laterVersion(): ArgotError {
  const message =
    "A later version of Argot wrote this document's sidecar, so this version can't add to it. Update Argot."
  return new ArgotError('RUN_NOT_SAVED', message)
}
