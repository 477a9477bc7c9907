import { createHash } from 'node:crypto'
import type { ElementRecord, WrittenRecord } from '@argot/core/chatmd/internal'
import { defined, isRecord } from '@argot/core/stream/internal'
import type { Sidecar, Store } from './store.ts'
import { readUndoneTurns, type UndoneTurn } from './undone-turns.ts'

/*
 * A record of a sidecar is what one append to the document left out of it:
 *
 *     { "at": 1204, "size": 312, "before": "…", "run": "…", "message": "…", "calls": 3,
 *       "elements": [{ "hash": "…", "payload": "…", "attributes": { … }, "meta": { … }, "argot": { … } }, …] }
 *
 * A signed batch with `"replaces": "ID"` takes back all earlier ones but those with `"draft": "ID"`, and these count from then
 * on. Cleaning a document writes them, and a crash between them changes nothing.
 *
 * `at` is how many bytes the document had and `size` how many were appended, `before` is the hash of what it had,
 * `calls` the highest number of a call so far. `run` and `message` hold for all of
 * its elements.
 */

/** What one append to a document left out of it. */
export interface RecordBatch {
  at?: number
  size?: number
  before?: string
  run?: string
  message?: string
  calls?: number
  draft?: string
  replaces?: string
  /** Of a batch that was read. */
  isSigned?: boolean
  elements: ElementRecord[]
}

/** What a sidecar says about a document. */
export interface DocumentRecords {
  batches: readonly RecordBatch[]
  /** Where the last append to the document began and ended, in bytes. */
  lastAppend: { start: number; end: number } | undefined
  /** The highest number of a call. */
  calls: number
  /** The turns whose changes to files the user undid. */
  undone?: readonly UndoneTurn[]
}

export const noRecords: DocumentRecords = { batches: [], lastAppend: undefined, calls: 0 }

/** 128 bits: nobody finds another text with the same hash. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

export function toBatch(
  records: readonly WrittenRecord[],
  { at, size, before, calls, draft, replaces }: Omit<RecordBatch, 'elements' | 'run' | 'message' | 'isSigned'> = {},
): RecordBatch {
  const elements = records.map(toElement)
  const { run, message } = elements[0]?.attributes ?? {}
  const isShared = (name: 'run' | 'message', value: unknown): value is string =>
    typeof value === 'string' && elements.every(({ attributes }) => attributes?.[name] === value)
  const shared = defined({
    run: isShared('run', run) ? run : undefined,
    message: isShared('message', message) ? message : undefined,
  })
  const ownFields = elements.map(element => withoutShared(element, Object.keys(shared)))
  return {
    ...defined({ at, size, before, calls: calls || undefined, draft, replaces }),
    ...shared,
    elements: ownFields,
  }
}

function toElement({ text, file, ...record }: WrittenRecord): ElementRecord {
  const hash = text === undefined ? undefined : hashText(text)
  return { ...defined({ hash, payload: file === undefined ? undefined : hashText(file) }), ...record }
}

function withoutShared(element: ElementRecord, names: readonly string[]): ElementRecord {
  const attributes = Object.entries(element.attributes ?? {}).filter(([name]) => !names.includes(name))
  const { attributes: _, ...rest } = element
  return attributes.length === 0 ? rest : { ...rest, attributes: Object.fromEntries(attributes) }
}

export async function readRecords(store: Store, path: string): Promise<DocumentRecords> {
  return toRecords(await store.sidecars.read(path))
}

/** The records of a sidecar by element. What isn't one is left out: anybody may have written unsigned ones. */
export function toRecords({ records }: Pick<Sidecar, 'records'>): DocumentRecords {
  const batches = records.flatMap(({ value, isSigned }) => {
    const batch = toReadBatch(value, isSigned)
    return batch === undefined ? [] : [batch]
  })
  const undone = readUndoneTurns({ records })
  const last = batches.findLastIndex(({ replaces }) => replaces !== undefined)
  const replaces = batches[last]?.replaces
  const current = batches.filter(({ draft }, index) => draft === (index < last ? replaces : undefined))
  // What a later append replaced, because it was never completed or was taken out again, says nothing any more.
  const latest = new Map(current.map((batch, index) => [toPlaceKey(batch, index), batch]))
  const valid = current.filter((batch, index) => latest.get(toPlaceKey(batch, index)) === batch)
  return {
    batches: valid,
    lastAppend: findLastAppend(current),
    calls: batches.reduce((most, { calls = 0 }) => Math.max(most, calls), 0),
    ...defined({ undone: undone.length > 0 ? undone : undefined }),
  }
}

/** Two batches in one place replace each other, unless nothing was appended there: then only the same one does. */
function toPlaceKey({ at, size, before, elements }: RecordBatch, index: number): string {
  if (at === undefined) return `#${index}`
  return `${at} ${before} ${size === 0 ? JSON.stringify(elements) : ''}`
}

function findLastAppend(batches: readonly RecordBatch[]): DocumentRecords['lastAppend'] {
  const { at, size } = batches.findLast(batch => batch.at !== undefined && (batch.size ?? 0) > 0) ?? {}
  return at === undefined || size === undefined ? undefined : { start: at, end: at + size }
}

function toReadBatch(value: unknown, isSigned: boolean): RecordBatch | undefined {
  if (!isRecord(value) || !Array.isArray(value.elements)) return undefined
  const { at, size, before, calls, run, message, draft, replaces } = value
  const shared = defined({
    run: typeof run === 'string' ? run : undefined,
    message: typeof message === 'string' ? message : undefined,
  })
  return {
    ...defined({
      at: isCount(at) ? at : undefined,
      size: isCount(size) ? size : undefined,
      before: typeof before === 'string' ? before : undefined,
      calls: isCount(calls) ? calls : undefined,
      draft: typeof draft === 'string' ? draft : undefined,
      replaces: isSigned && typeof replaces === 'string' ? replaces : undefined,
    }),
    isSigned,
    elements: value.elements.flatMap(element => (isRecord(element) ? [toReadElement(element, shared, isSigned)] : [])),
  }
}

function toReadElement(element: Record<string, unknown>, shared: object, isSigned: boolean): ElementRecord {
  const { hash, payload, attributes, meta, argot } = element
  const own = Object.entries({ ...shared, ...(isRecord(attributes) ? attributes : {}) }).filter(
    ([name, value]) => (typeof value === 'string' || value === true) && (isSigned || !decisive.has(name)),
  )
  return {
    ...defined({
      hash: typeof hash === 'string' ? hash : undefined,
      payload: typeof payload === 'string' ? payload : undefined,
      // A provider is sent only what this user's runs got from it.
      meta: isSigned && isRecord(meta) ? (meta as NonNullable<ElementRecord['meta']>) : undefined,
      argot: isRecord(argot) ? (isSigned ? argot : withoutClaims(argot)) : undefined,
    }),
    attributes: Object.fromEntries(own) as Record<string, string | true>,
  }
}

/** Recovery goes by these, or a person decided them: they count only if this user's runs have written them. */
const decisive: ReadonlySet<string> = new Set([
  ...['run', 'offset'],
  ...['approved', 'approved_by', 'approved_at', 'approval_reason', 'approved_input'],
])
/** Fields of a call that are sent to models and providers, or that a person would decide about. */
const claims: ReadonlySet<string> = new Set(['input', 'callProviderMetadata', 'resultProviderMetadata', 'approval'])

/** What an unsigned record may say about a call: facts to show, and nothing that is sent or decided about. */
function withoutClaims(argot: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(argot).filter(([name]) => !claims.has(name))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, name === 'call' && isRecord(value) ? withoutClaims(value) : value]),
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
