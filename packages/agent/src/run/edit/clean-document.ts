import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { formatChatMd, parseTree, type Resolver, writeChatMd } from '@argot/core/chatmd'
import {
  type CleanedChatMd,
  type CleanedRecord,
  cleanWithRecords,
  type ElementNode,
  type ElementRecord,
  type WrittenRecord,
} from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import { createResolver } from '../../resolver/create-resolver.ts'
import { hashText, toBatch, toRecords } from '../../store/element-records.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import { removeEmptyFolders } from '../../store/folder/layout.ts'
import { matchDocument } from '../../store/match-document.ts'
import type { Lease, Sidecar, Store } from '../../store/store.ts'
import { topElements } from '../../store/written-element.ts'
import { toBegunLog } from '../../transcript/recover-run.ts'
import { ReplayedRun } from '../../transcript/replay-run.ts'

interface MovedRecord {
  record: WrittenRecord
  isSigned: boolean
}

/**
 * Moves a document's bookkeeping from its text to its sidecar, and reformats the text. The records are unsigned, except
 * those that a signed log confirms: anyone may have written the attributes. `prepare` changes the text first; undefined
 * leaves the document unchanged. The sidecar is on disk before the document is written, so a crash loses nothing.
 * Returns how many records were moved, and how many of them are signed.
 */
export async function cleanDocument(
  file: string,
  prepare: (text: string) => string | undefined,
): Promise<{ moved: number; signed: number }> {
  const real = await realpath(file)
  const path = basename(real)
  const store = folderStore(dirname(real))
  const lease = await store.leases.take(path)
  try {
    const { text, version } = await store.documents.read(path)
    const prepared = prepare(text)
    if (prepared === undefined) return { moved: 0, signed: 0 }
    const cleaned = cleanWithRecords(prepared)
    const changed = formatChatMd(cleaned.text)
    const moved = await new Cleaning(store, lease, real).moveRecords(cleaned, changed)
    if (changed !== text) await store.documents.write(path, changed, { after: version, lease })
    return { moved: moved.length, signed: moved.filter(({ isSigned }) => isSigned).length }
  } finally {
    await lease.release()
    removeEmptyFolders(real)
  }
}

class Cleaning {
  readonly #store: Store
  readonly #lease: Lease
  readonly #file: string
  readonly #resolver: Resolver

  constructor(store: Store, lease: Lease, file: string) {
    this.#store = store
    this.#lease = lease
    this.#file = file
    this.#resolver = createResolver({ directory: dirname(file), cwd: dirname(file), offline: true })
  }

  async moveRecords(cleaned: CleanedChatMd, text: string): Promise<MovedRecord[]> {
    if (cleaned.records.length === 0) return []
    const nodes = topElements(parseTree(text))
    const texts = new Map(
      cleaned.elements.map((node, index) => [node, text.slice(nodes[index]!.start, nodes[index]!.end)]),
    )
    const confirmed = await this.#loggedRecords()
    const moved = new Map<ElementNode, MovedRecord>()
    for (const one of cleaned.records) {
      const record = await this.#complete(one, texts.get(one.node))
      moved.set(one.node, { record, isSigned: confirmed.has(record) })
    }
    const sidecar = await this.#store.sidecars.read(this.#lease.path)
    const records = mergeRecords(cleaned, sidecar, moved, texts)
    await this.#writeRecords(records, sidecar.records.length > 0)
    return [...moved.values()].filter(one => records.includes(one))
  }

  /** Adds the contents of the files that the element names. */
  async #complete(
    { node: _, isRenumbered: __, source, payload, ...rest }: CleanedRecord,
    text: string | undefined,
  ): Promise<WrittenRecord> {
    const extras = source === undefined ? {} : parseExtras(await this.#read('meta', source))
    const file = payload === undefined ? undefined : await this.#read('payload', payload)
    return copyDetails({ ...defined({ text, file }), ...rest, ...extras })
  }

  async #read(kind: 'meta' | 'payload', src: string): Promise<string | undefined> {
    const from = this.#file
    const result = await this.#resolver.resolve({ kind, src, local: true, html: 'keep', from, document: from })
    return result.ok && 'text' in result ? result.text : undefined
  }

  /** The records of this user's runs, as far as their logs are signed. */
  async #loggedRecords(): Promise<LoggedRecords> {
    const { logs } = this.#store
    const records = new LoggedRecords()
    for (const { run } of await logs.list({ path: this.#lease.path })) {
      const stored = await (logs.scan === undefined ? logs.read(run) : logs.scan(run))
      const log = stored === undefined || stored.believed === 0 ? undefined : toBegunLog(stored)
      if (log === undefined) continue
      const { payloads } = log.beginning
      for (const element of new ReplayedRun(log.lines, log.beginning).elements)
        records.add(writeChatMd(element.records, { payloads, bookkeeping: 'apart' }).records)
    }
    return records
  }

  async #writeRecords(records: readonly MovedRecord[], replaces: boolean): Promise<void> {
    const sidecar = await this.#store.sidecars.open(this.#lease.path, this.#lease)
    try {
      const draft = replaces ? randomUUID() : undefined
      for (const { isSigned, batch } of groupBySignature(records))
        sidecar.append(toBatch(batch, defined({ draft })), { isSigned })
      if (draft !== undefined) sidecar.append(toBatch([], { replaces: draft }))
      await sidecar.sync()
    } finally {
      await sidecar.close()
    }
  }
}

class LoggedRecords {
  readonly #byText: Map<string, WrittenRecord[]> = new Map()

  add(records: readonly WrittenRecord[]): void {
    for (const record of records) {
      const key = toKey(record)
      const list = this.#byText.get(key)
      if (list === undefined) this.#byText.set(key, [copyDetails(record)])
      else list.push(copyDetails(record))
    }
  }

  has(record: WrittenRecord): boolean {
    return (this.#byText.get(toKey(record)) ?? []).some(one => isDeepStrictEqual(comparable(one), comparable(record)))
  }
}

function comparable({ attributes, meta, argot }: WrittenRecord): unknown {
  return { attributes, meta, argot }
}

/** The numbers of payload files don't matter, but their texts do. */
function toKey({ text, file }: WrittenRecord): string {
  if (text === undefined) return ''
  const layout = formatChatMd(text)
    .trim()
    .replace(/"\.\/\.chatmd\/[0-9]+\./g, '"./.chatmd/#.')
  return file === undefined ? layout : `${layout}\n${hashText(file)}`
}

/** Unsigned `meta` isn't read. A call's details are copied from it, because people see them. */
function copyDetails(record: WrittenRecord): WrittenRecord {
  const details = record.meta?.argot?.details
  if (details === undefined || record.argot?.details !== undefined) return record
  return { ...record, argot: { ...record.argot, details } }
}

function parseExtras(text: string | undefined): Pick<ElementRecord, 'meta' | 'argot'> {
  try {
    const { meta, argot } = JSON.parse(text ?? '{}') as Pick<ElementRecord, 'meta' | 'argot'>
    return defined({ meta, argot })
  } catch {
    return {}
  }
}

/** The sidecar's records for elements of the document, and the moved ones, in document order. */
function mergeRecords(
  { tree, records: cleaned }: CleanedChatMd,
  sidecar: Sidecar,
  moved: ReadonlyMap<ElementNode, MovedRecord>,
  texts: ReadonlyMap<ElementNode, string>,
): MovedRecord[] {
  const records = toRecords(sidecar)
  const signed = new Set(records.batches.filter(batch => batch.isSigned).flatMap(({ elements }) => elements))
  const matched = matchDocument(tree, records)
  const keep = (record: ElementRecord, text?: string): MovedRecord => {
    const { hash: _, ...rest } = record
    return { record: { ...rest, ...defined({ text }) }, isSigned: signed.has(record) }
  }
  // A cleaning that died before it wrote the document has left them in the sidecar.
  const dropped = [...moved.values()]
    .filter(({ record }) => record.text === undefined)
    .map(({ record }) => toContent(record))
  const isNew = (record: ElementRecord): boolean => !dropped.some(one => isDeepStrictEqual(one, toContent(record)))
  const renamed = new Set(cleaned.filter(({ isRenumbered }) => isRenumbered === true).map(({ node }) => node))
  return topElements(tree).flatMap(node => {
    const earlier = matched.byElement.get(node)
    // An element's name in the sidecar is better than its number.
    const isNamed = earlier?.attributes?.id !== undefined && renamed.has(node)
    const record = (isNamed ? undefined : moved.get(node)) ?? (earlier && keep(earlier, texts.get(node)))
    const before = (matched.before.get(node) ?? []).filter(isNew)
    const after = (matched.after.get(node) ?? []).filter(isNew)
    return [...before.map(one => keep(one)), ...(record === undefined ? [] : [record]), ...after.map(one => keep(one))]
  })
}

/** A record's content, signed or not. */
function toContent({ attributes, argot }: ElementRecord): unknown {
  const { run: _, offset: __, ...rest } = attributes ?? {}
  return { argot, ...rest }
}

function groupBySignature(records: readonly MovedRecord[]): { isSigned: boolean; batch: WrittenRecord[] }[] {
  const groups: { isSigned: boolean; batch: WrittenRecord[] }[] = []
  for (const { record, isSigned } of records) {
    const last = groups.at(-1)
    if (last?.isSigned === isSigned) last.batch.push(record)
    else groups.push({ isSigned, batch: [record] })
  }
  return groups
}
