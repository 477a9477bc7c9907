import { createHash } from 'node:crypto'
import type { ElementRecord, WrittenRecord } from '@argot/core/chatmd/internal'
import { defined, isRecord } from '@argot/core/stream/internal'
import type { Sidecar, Store } from './store.ts'
import { readUndoneTurns, type UndoneTurn } from './undone-turns.ts'

/*
 * A record in a sidecar holds what one append left out of the document:
 *
 *     { "at": 1204, "size": 312, "before": "…", "run": "…", "message": "…", "calls": 3,
 *       "elements": [{ "hash": "…", "payload": "…", "attributes": { … }, "meta": { … }, "argot": { … } }, …] }
 *
 * `at` is the document's size in bytes before the append, `size` the number of bytes appended, and `before` the hash of
 * the text before it. `calls` is the highest call number so far. `run` and `message` apply to all elements.
 *
 * A signed batch with `"replaces": "ID"` replaces all earlier batches except those with `"draft": "ID"`, which apply
 * from then on. Cleaning a document writes both; a crash between them changes nothing.
 */

export interface RecordBatch {
  at?: number
  size?: number
  before?: string
  run?: string
  message?: string
  calls?: number
  draft?: string
  replaces?: string
  /** Set for batches that were read. */
  isSigned?: boolean
  elements: ElementRecord[]
}

export interface DocumentRecords {
  batches: readonly RecordBatch[]
  /** Where the last append to the document began and ended, in bytes. */
  lastAppend: { start: number; end: number } | undefined
  calls: number
  undone?: readonly UndoneTurn[]
}

export const noRecords: DocumentRecords = { batches: [], lastAppend: undefined, calls: 0 }

/** 128 bits, so finding another text with the same hash is infeasible. */
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

/** A sidecar's element records. Skips anything else: anyone may have written unsigned records. */
export function toRecords({ records }: Pick<Sidecar, 'records'>): DocumentRecords {
  const batches = records.flatMap(({ value, isSigned }) => {
    const batch = toReadBatch(value, isSigned)
    return batch === undefined ? [] : [batch]
  })
  const undone = readUndoneTurns({ records })
  const lastReplacement = batches.findLastIndex(({ replaces }) => replaces !== undefined)
  const replaces = batches[lastReplacement]?.replaces
  const current = batches.filter(({ draft }, index) => draft === (index < lastReplacement ? replaces : undefined))
  // A later append at the same place replaces this one, which was never completed or was cut out again.
  const latest = new Map(current.map((batch, index) => [toPlaceKey(batch, index), batch]))
  const valid = current.filter((batch, index) => latest.get(toPlaceKey(batch, index)) === batch)
  return {
    batches: valid,
    lastAppend: findLastAppend(current),
    calls: batches.reduce((most, { calls = 0 }) => Math.max(most, calls), 0),
    ...defined({ undone: undone.length > 0 ? undone : undefined }),
  }
}

/** Two batches at one place replace each other. If they appended nothing, only identical ones do. */
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
  const ownAttributes = Object.entries({ ...shared, ...(isRecord(attributes) ? attributes : {}) }).filter(
    ([name, value]) => (typeof value === 'string' || value === true) && (isSigned || !decisive.has(name)),
  )
  return {
    ...defined({
      hash: typeof hash === 'string' ? hash : undefined,
      payload: typeof payload === 'string' ? payload : undefined,
      // Providers receive only the metadata that this user's own runs got from them.
      meta: isSigned && isRecord(meta) ? (meta as NonNullable<ElementRecord['meta']>) : undefined,
      argot: isRecord(argot) ? (isSigned ? argot : withoutClaims(argot)) : undefined,
    }),
    attributes: Object.fromEntries(ownAttributes) as Record<string, string | true>,
  }
}

/** Recovery relies on these, or a person decided them, so they apply only if this user's runs wrote them. */
const decisive: ReadonlySet<string> = new Set([
  ...['run', 'offset'],
  ...['approved', 'approved_by', 'approved_at', 'approval_reason', 'approved_input'],
])
/** Fields of a call that are sent to models and providers, or that a person decides about. */
const claims: ReadonlySet<string> = new Set(['input', 'callProviderMetadata', 'resultProviderMetadata', 'approval'])

/** Keeps what an unsigned record may state about a call: facts to show, nothing that is sent or decided about. */
function withoutClaims(argot: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(argot).filter(([name]) => !claims.has(name))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, name === 'call' && isRecord(value) ? withoutClaims(value) : value]),
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
