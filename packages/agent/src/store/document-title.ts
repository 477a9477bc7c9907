import { firstCharacters, isRecord, visibleLine } from '@argot/core/stream/internal'
import { appendRecord } from './append-record.ts'
import { readDocumentHead } from './document-head.ts'
import { hashText } from './element-records.ts'
import type { Sidecar, Store } from './store.ts'

/*
 * A title that a model wrote is an unsigned record in the sidecar:
 *
 *     { "title": "Sorting the invoices", "first": "…" }
 *
 * `first` is the hash of the first message's title, so the record no longer applies once that message is edited. A
 * title that a person set applies whatever the first message becomes, until an empty title removes it:
 *
 *     { "title": "Invoices", "own": true }
 *
 * Titles are for display only: anyone may have written one.
 */

const TITLE_LENGTH = 60
/** Lines in a foreign sidecar may have any length. */
const MOST_CHARACTERS = 4000

/** The title in every list: a written one, otherwise the first message's. May contain any character. */
export function chooseTitle(first: string, sidecar: Pick<Sidecar, 'records'>): string {
  return findWrittenTitle(first, sidecar) ?? first
}

/** The title that a person set, otherwise the newest one that a model wrote for this first message. */
export function findWrittenTitle(first: string, { records }: Pick<Sidecar, 'records'>): string | undefined {
  if (records.length === 0) return undefined
  const hash = hashText(first)
  let ownTitle: string | undefined
  let title: string | undefined
  for (const { value } of records) {
    if (!isRecord(value) || typeof value.title !== 'string') continue
    if (value.own === true) ownTitle = toTitle(value.title)
    else if (value.first === hash) title = toTitle(value.title) ?? title
  }
  return ownTitle ?? title
}

/**
 * Saves a model's title for the first message, unless that message has changed or already has a title. Rejects with
 * `RUN_LOCKED` while another process holds the document.
 */
export async function writeDocumentTitle(store: Store, path: string, first: string, text: string): Promise<void> {
  const title = toTitle(text)
  if (title === undefined || !(await hasFirstMessage(store, path, first))) return
  const choose = async (sidecar: Sidecar): Promise<unknown> => {
    const isStillWanted = (await hasFirstMessage(store, path, first)) && findWrittenTitle(first, sidecar) === undefined
    return isStillWanted ? { title, first: hashText(first) } : undefined
  }
  await appendRecord(store, path, choose, { isSigned: false })
}

/** An empty title removes it. Rejects with `RUN_LOCKED` while another process holds the document. */
export async function setDocumentTitle(store: Store, path: string, text: string): Promise<void> {
  const lease = await store.leases.take(path)
  try {
    const sidecar = await store.sidecars.open(path, lease)
    try {
      sidecar.append({ title: toTitle(text) ?? '', own: true }, { isSigned: false })
      await sidecar.sync()
    } finally {
      await sidecar.close()
    }
  } finally {
    await lease.release()
  }
}

async function hasFirstMessage({ documents }: Store, path: string, first: string): Promise<boolean> {
  const head = await readDocumentHead(documents, path)
  return head.request !== undefined && head.title === first
}

/** One short line that `visibleLine` leaves unchanged, or undefined if no text remains. */
export function toTitle(text: string): string | undefined {
  const line = text
    .slice(0, MOST_CHARACTERS)
    // Some local models write their reasoning into the text.
    .replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '')
    .trim()
    .split('\n', 1)[0]!
  const visible = Array.from(line, one => (visibleLine(one) === one ? one : ' '))
    .join('')
    .replace(/\\(?=u\{)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^(?:title:|[ #*"'`“«])+/i, '')
    .replace(/[ *"'`”».]+$/, '')
  if (visible === '') return undefined
  return visible.length > TITLE_LENGTH ? `${firstCharacters(visible, TITLE_LENGTH - 1)}…` : visible
}
