import { createHash } from 'node:crypto'
import type { ElementNode, ElementRecord, MatchedRecords, Tree } from '@argot/core/chatmd/internal'
import { type DocumentRecords, hashText, type RecordBatch } from './element-records.ts'
import { addTo, pairUp } from './pair-up.ts'
import { getAttribute } from './written-element.ts'

interface PlacedElement {
  node: ElementNode
  hash: string
  start: number
}

interface PlacedRecord {
  record: ElementRecord
  element?: ElementNode | undefined
}

/**
 * Finds the element of each record. Where the document is unchanged since the record was made, the place decides; after
 * that, hash and order do. Edited or moved elements have no record, and no element gets a record that could belong to
 * another one. `isDraft`: payloads aren't read, so they aren't compared either.
 */
export function matchDocument(tree: Tree, { batches }: DocumentRecords, isDraft = false): MatchedRecords {
  const elements = batches.length === 0 ? [] : placeElements(tree)
  const isSame = prefixCheck(tree.source, batches)
  const placed: PlacedRecord[][] = []
  const used = new Set<ElementNode>()
  const uncertain: PlacedRecord[] = []
  for (const batch of batches.toReversed()) {
    const records = batch.elements.map((record): PlacedRecord => ({ record }))
    placed.unshift(records)
    if (isSame(batch)) {
      const end = batch.at! + (batch.size ?? 0)
      pair(
        elements.filter(({ start, node }) => start >= batch.at! && start < end && !used.has(node)),
        records,
        used,
      )
    } else uncertain.unshift(...records)
  }
  pair(
    elements.filter(({ node }) => !used.has(node)),
    uncertain,
    used,
  )
  return collect(placed.flat(), findLastElements(elements), isDraft)
}

/** In documents of older versions: the last element of each message, from its attributes. */
function findLastElements(elements: readonly PlacedElement[]): Map<string, ElementNode> {
  const lastElements = new Map<string, ElementNode>()
  let current: string | undefined
  for (const { node } of elements) {
    const isOfRun = getAttribute(node, 'offset') !== undefined
    current = getAttribute(node, 'message') ?? (isOfRun ? current : undefined)
    if (current !== undefined) lastElements.set(current, node)
  }
  return lastElements
}

function placeElements({ source, children }: Tree): PlacedElement[] {
  const elements: PlacedElement[] = []
  let [start, at] = [0, 0]
  for (const node of children) {
    if (node.type !== 'element') continue
    start += Buffer.byteLength(source.slice(at, node.start))
    at = node.start
    elements.push({ node, hash: hashText(source.slice(node.start, node.end)), start })
  }
  return elements
}

function prefixCheck(source: string, batches: readonly RecordBatch[]): (batch: RecordBatch) => boolean {
  const bytes = Buffer.from(source)
  const running = createHash('sha256')
  const digests = new Map<number, string>()
  let from = 0
  for (const at of batches.map(batch => batch.at ?? 0).sort((a, b) => a - b)) {
    if (at > bytes.length || digests.has(at)) continue
    running.update(bytes.subarray(from, at))
    from = at
    digests.set(at, running.copy().digest('base64url').slice(0, 22))
  }
  return ({ at, before }) => at !== undefined && before !== undefined && digests.get(at) === before
}

function pair(
  elements: readonly PlacedElement[],
  records: readonly PlacedRecord[],
  pairedNodes: Set<ElementNode>,
): void {
  const texts = records.map(({ record }) => JSON.stringify(record))
  const pairs = pairUp(
    elements.map(({ hash }) => hash),
    records.map(({ record }) => record.hash),
    (a, b) => texts[a] === texts[b],
  )
  for (const [right, left] of pairs) {
    const { node } = elements[left]!
    records[right]!.element = node
    pairedNodes.add(node)
  }
}

function collect(
  placed: readonly PlacedRecord[],
  lastByMessage: Map<string, ElementNode>,
  isDraft: boolean,
): MatchedRecords {
  const byElement = new Map<ElementNode, ElementRecord>()
  const after = new Map<ElementNode, ElementRecord[]>()
  const before = new Map<ElementNode, ElementRecord[]>()
  /** Records at the beginning of a message that wait for its first element. */
  let pending: PlacedRecord[] = []
  let wasPlaced = true
  for (const { record, element } of placed) {
    const message = getMessageId(record)
    if (record.hash === undefined) {
      const previous = lastByMessage.get(message)
      if (previous === undefined) pending.push({ record })
      else if (wasPlaced || isNewEnd(record, after.get(previous))) addTo(after, previous, record)
      continue
    }
    wasPlaced = element !== undefined
    if (element !== undefined) {
      byElement.set(element, isDraft ? withoutPayload(record) : record)
      lastByMessage.set(message, element)
      for (const one of pending) if (getMessageId(one.record) === message) addTo(before, element, one.record)
    }
    pending = []
  }
  return { byElement, after, before, hash: hashText }
}

function getMessageId({ attributes }: ElementRecord): string {
  return String(attributes?.message ?? '')
}

function withoutPayload({ payload: _, ...record }: ElementRecord): ElementRecord {
  return record
}

/** A message has an end even if its last element was changed. After a crash, the end may be recorded twice. */
function isNewEnd(record: ElementRecord, others: readonly ElementRecord[] = []): boolean {
  const text = JSON.stringify(record)
  return record.attributes?.part === 'end' && others.every(other => JSON.stringify(other) !== text)
}
