import { defined } from '../../source/defined.ts'
import type { ChatDocument, ChatMdEntry } from '../document.ts'
import type { ElementRecord } from '../element-record.ts'
import { describeEnding } from '../ending-comment.ts'
import { type EntryOwner, entryOwners } from '../entry-owners.ts'
import { parseDocument } from '../parse.ts'
import { Problems } from '../problems.ts'
import { type Attribute, attributeValue, writeAttribute } from '../reader/attribute.ts'
import type { ElementNode, Tree } from '../reader/tree.ts'
import { messageStatuses, parseObject } from '../record.ts'
import { attributeOrder, isVisibleAttribute } from '../visible-attributes.ts'
import { isKnownAttribute } from '../vocabulary.ts'

/** Authors don't write these attributes, so an element with one of them was written by a program. */
const programAttributes: ReadonlySet<string> = new Set([
  ...['run', 'offset', 'message', 'step', 'phase', 'meta', 'meta_src', 'argot', 'created', 'started', 'ms', 'key'],
  ...['settled_by', 'preliminary', 'dynamic'],
])

export interface CleanedRecord extends Omit<ElementRecord, 'hash' | 'payload'> {
  node: ElementNode
  /** The file with `meta` and `argot`, as the document names it. */
  source?: string
  payload?: string
  /** Nothing was removed: the message was referred to by its number, which has changed. */
  isRenumbered?: boolean
}

export interface CleanedChatMd {
  text: string
  tree: Tree
  elements: ElementNode[]
  records: CleanedRecord[]
}

/** The document without its runs' bookkeeping: the conversation stays. A document with errors is returned unchanged. */
export function cleanChatMd(source: string): string {
  return cleanWithRecords(source).text
}

export function cleanWithRecords(source: string): CleanedChatMd {
  const problems = new Problems()
  const document = parseDocument(source, problems)
  return problems.hasErrors
    ? { text: source, tree: document.tree, elements: [], records: [] }
    : new Cleaner(document).run()
}

class Cleaner {
  readonly #document: ChatDocument
  readonly #source: string
  readonly #newline: string
  readonly #owners: Map<ElementNode, { entry: ChatMdEntry; owner: EntryOwner | undefined }>
  readonly #records: CleanedRecord[] = []
  readonly #elements: ElementNode[] = []
  /** The messages after removed elements have other numbers now. */
  #dropped = 0
  #text = ''
  #latest: { run: string; message: EntryOwner['message'] } | undefined

  constructor(document: ChatDocument) {
    this.#document = document
    this.#source = document.tree.source
    this.#newline = /\r?\n/.exec(this.#source)?.[0] ?? '\n'
    const owners = entryOwners(document.entries)
    this.#owners = new Map(document.entries.map((entry, index) => [entry.node, { entry, owner: owners[index] }]))
  }

  run(): CleanedChatMd {
    let at = 0
    for (const node of this.#document.tree.children) {
      if (node.type !== 'element') continue
      this.#text += this.#source.slice(at, node.start)
      this.#element(node)
      at = node.end
    }
    const { tree } = this.#document
    return { text: this.#text + this.#source.slice(at), tree, elements: this.#elements, records: this.#records }
  }

  #element(node: ElementNode): void {
    const owner = this.#owners.get(node)
    const part = attributeValue(node.attributes, 'part')
    if (owner !== undefined && node.name === 'assistant' && (part === 'end' || part === 'step-start')) {
      this.#drop(node, owner.owner)
      return
    }
    const moved = owner === undefined ? [] : movedAttributes(node)
    this.#text += writeTag(this.#source, node, moved) + this.#source.slice(node.openEnd, node.end)
    this.#elements.push(node)
    const record = owner && this.#recordFor(moved, owner)
    if (record !== undefined) this.#records.push({ node, ...record })
  }

  /** If readers must know how the message ended, a comment says so. */
  #drop(node: ElementNode, owner: EntryOwner | undefined): void {
    const comment = describeEnding(readEnd(node))
    this.#text = this.#text.replace(/\s*$/, this.#text.trim() === '' ? '' : this.#newline)
    if (comment !== undefined) this.#text += `${this.#newline}${comment}`
    this.#records.push({ node, ...this.#toRecord(node.attributes, owner) })
    this.#dropped++
  }

  /** Adds the names of the run and the message: older versions wrote them only on the first element. */
  #toRecord(attributes: readonly Attribute[], owner: EntryOwner | undefined): Omit<CleanedRecord, 'node'> {
    const message = owner?.message
    const own = attributeValue(attributes, 'run')
    if (message !== undefined && own !== undefined) this.#latest = { run: own, message }
    const isOfRun = attributeValue(attributes, 'offset') !== undefined
    const run = isOfRun && message !== undefined && message === this.#latest?.message ? this.#latest.run : undefined
    return toRecord(attributes, defined({ message: message?.id, run }))
  }

  #recordFor(
    moved: readonly Attribute[],
    { entry, owner }: { entry: ChatMdEntry; owner: EntryOwner | undefined },
  ): Omit<CleanedRecord, 'node'> | undefined {
    if (entry.type === 'import') return undefined
    const payload = 'payload' in entry && entry.payload.type === 'reference' ? entry.payload.src : undefined
    if (moved.length > 0)
      return { ...this.#toRecord(moved, isPrompt(entry) ? undefined : owner), ...defined({ payload }) }
    // The message was referred to by its number, and keeps that name.
    const isRenamed = isPrompt(entry) && this.#dropped > 0 && attributeValue(entry.node.attributes, 'id') === undefined
    return isRenamed && owner?.message.id !== undefined
      ? { attributes: { id: owner.message.id }, isRenumbered: true }
      : undefined
  }
}

function isPrompt(entry: ChatMdEntry): boolean {
  return entry.type === 'message' && entry.role !== 'assistant'
}

/** No attribute of an element that an author wrote moves to the sidecar. */
function movedAttributes({ name, attributes }: ElementNode): Attribute[] {
  if (!attributes.some(attribute => programAttributes.has(attribute.name))) return []
  return attributes.filter(attribute => {
    if (name === 'tool_call' && attribute.name === 'state' && attribute.value === 'again') return false
    const isKnown = isKnownAttribute(name, attribute.name)
    return isKnown && attribute.name !== 'name' && !isVisibleAttribute(name, [attribute.name, attribute.value])
  })
}

function writeTag(source: string, node: ElementNode, moved: readonly Attribute[]): string {
  if (moved.length === 0) return source.slice(node.start, node.openEnd)
  const remaining = node.attributes
    .filter(attribute => !moved.includes(attribute))
    .sort((a, b) => attributeOrder(node.name, a.name) - attributeOrder(node.name, b.name))
  const attributes = remaining.map(({ name, value }) => ` ${writeAttribute(name, value)}`).join('')
  return `<${node.name}${attributes}${node.selfClosing ? '/>' : '>'}`
}

function toRecord(
  attributes: readonly Attribute[],
  names: { message?: string; run?: string },
): Omit<CleanedRecord, 'node'> {
  const meta = parseObject(attributeValue(attributes, 'meta')) as ElementRecord['meta']
  const argot = parseObject(attributeValue(attributes, 'argot'))
  const source = attributeValue(attributes, 'meta_src')
  const rest = attributes.filter(({ name }) => name !== 'meta' && name !== 'argot' && name !== 'meta_src')
  return {
    attributes: {
      ...names,
      ...Object.fromEntries(rest.map(({ name, value }) => [name, value] as const)),
    },
    ...(source ? { source } : defined({ meta, argot })),
  }
}

function readEnd({ attributes }: ElementNode): Parameters<typeof describeEnding>[0] {
  const text = (name: string) => attributeValue(attributes, name)
  const status = messageStatuses.find(one => one === text('status')) ?? 'sent'
  const finishReason = text('finish') as Parameters<typeof describeEnding>[0]['finishReason']
  return { status, ...defined({ finishReason, errorText: text('error') }) }
}
