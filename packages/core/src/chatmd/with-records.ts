import type { ChatDocument, ChatMdEntry } from './document.ts'
import type { ElementRecord, MatchedRecords } from './element-record.ts'
import { unwrittenNode } from './ending-comment.ts'
import type { Attribute } from './reader/attribute.ts'
import type { ElementNode } from './reader/tree.ts'
import { isVisibleAttribute } from './visible-attributes.ts'

export interface RecordedEntries {
  entries: ChatMdEntry[]
  /** `plain`: the entry as the text alone gives it. */
  records: ReadonlyMap<ChatMdEntry, { record: ElementRecord; plain: ChatMdEntry }>
}

/** Adds the attributes that elements leave out, and the entries that have no element. */
export function withRecords({ entries }: ChatDocument, matched: MatchedRecords | undefined): RecordedEntries {
  const records = new Map<ChatMdEntry, { record: ElementRecord; plain: ChatMdEntry }>()
  if (matched === undefined) return { entries, records }
  const all: ChatMdEntry[] = []
  const add = (plain: ChatMdEntry, record: ElementRecord | undefined): void => {
    const entry = record === undefined ? plain : withRecord(plain, record)
    all.push(entry)
    if (record !== undefined) records.set(entry, { record, plain })
  }
  for (const [index, entry] of entries.entries()) {
    const { node } = entry
    for (const record of matched.before.get(node) ?? []) add(unwrittenEntry(node.start), record)
    add(entry, matched.byElement.get(node))
    // The comment about an ending belongs to the entry before it, and the sidecar has more about the ending.
    if (entries[index + 1]?.node.isUnwritten === true) continue
    const last = node.isUnwritten === true ? (entries[index - 1]?.node ?? node) : node
    for (const record of matched.after.get(last) ?? []) add(unwrittenEntry(node.end), record)
  }
  return { entries: all, records }
}

function withRecord(entry: ChatMdEntry, { attributes = {} }: ElementRecord): ChatMdEntry {
  const { node } = entry
  // Attributes that belong in the document are only valid there: a sidecar can't claim that a person approved a call.
  const more = Object.entries(attributes)
    .filter(([name, value]) => node.isUnwritten === true || !isVisibleAttribute(node.name, [name, value]))
    .map(([name, value]): Attribute => ({ name, value, start: node.start, end: node.start }))
  return { ...entry, node: { ...node, attributes: [...more, ...node.attributes] } }
}

function unwrittenEntry(at: number): ChatMdEntry {
  const node: ElementNode = unwrittenNode(at)
  return { type: 'message', role: 'assistant', content: [], node }
}
