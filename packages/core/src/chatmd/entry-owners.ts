import type { Entry } from './document.ts'
import { attributeValue, hasFlag } from './reader/attribute.ts'
import { isJsonPart, readOffset } from './record.ts'

/** A message of a document. */
export interface OwnerMessage {
  /** Undefined where nobody can know it without reading the imports before it. */
  id: string | undefined
  /** Its place among the messages. */
  index: number
}

/** What an entry is for. */
export interface EntryOwner {
  message: OwnerMessage
  /** It is the first of its message. */
  starts: boolean
  /** It says itself to which message it belongs. */
  named: boolean
  /** Of a response: the number of the entry with the call that it answers. */
  call?: number
  /** It is a response to a call that is to be made again. */
  ignored?: boolean
}

/**
 * Gives for each entry of a document the message that it belongs to; undefined for an import, and for a response to a
 * call that is not there.
 */
export function entryOwners(entries: readonly Entry[]): (EntryOwner | undefined)[] {
  const owners = new Owners(responsesToIgnore(entries))
  // Entries that nobody wrote have no number: with a sidecar and without it, messages have the same one.
  let unwritten = 0
  return entries.map((entry, index) => {
    const owner = owners.take(entry, index, index - unwritten)
    if (entry.node.isUnwritten === true) unwritten++
    return owner
  })
}

/** The message of the assistant that the next entry may continue. */
interface Current {
  message: OwnerMessage
  /** One of its entries names it. */
  named: boolean
  /** Its last part is a text. */
  endsWithText: boolean
}

interface OpenCall {
  key: string
  message: OwnerMessage
  number: number
}

class Owners {
  readonly #ignored: ReadonlyMap<number, number>
  #messages = 0
  #current: Current | undefined
  /** The message of each call, by the number of its entry. */
  readonly #calls: Map<number, OwnerMessage> = new Map()
  /** The calls without a response by id, the newest last. */
  readonly #open: Map<string, OpenCall[]> = new Map()
  /** How many entries an import gives is not known here, so that messages after it have no number. */
  #isCounted = true

  constructor(ignored: ReadonlyMap<number, number>) {
    this.#ignored = ignored
  }

  /** `number` is that of the entry, `place` its number among those that are written. */
  take(entry: Entry, number: number, place: number): EntryOwner | undefined {
    if (entry.type === 'import') {
      this.#isCounted = false
      this.#current = undefined
      return undefined
    }
    if (entry.type === 'tool-response') return this.#response(entry.toolCallId, toKey(entry), number)
    if (entry.type !== 'message' || entry.role === 'assistant') return this.#said(entry, number, place)
    this.#current = undefined
    const message = this.#start(attributeValue(entry.node.attributes, 'id') || undefined, place)
    return { message, starts: true, named: false }
  }

  #start(id: string | undefined, place: number): OwnerMessage {
    return { id: id ?? (this.#isCounted ? `chatmd-${place}` : undefined), index: this.#messages++ }
  }

  /** An entry of the assistant. */
  #said(entry: Exclude<Entry, { type: 'import' | 'tool-response' }>, number: number, place: number): EntryOwner {
    const { attributes } = entry.node
    const id = attributeValue(attributes, 'message')
    // A run of an older version names its message with its first element only.
    const isOfRun = readOffset(attributes) !== undefined
    const part = entry.type === 'message' ? attributeValue(attributes, 'part') : undefined
    const isText = entry.type === 'message' && part === undefined
    const last = this.#current
    const continues = last !== undefined && this.#continues(last, { id, isOfRun, isText })
    const current = continues ? last : { message: this.#start(id, place), named: false, endsWithText: false }
    this.#current = current
    // What a person wrote or changed before it belongs to the same message.
    if (id !== undefined && !current.named) current.message.id = id
    if (id !== undefined || isOfRun) current.named = true
    // What follows a comment about an end continues the message.
    const isComment = entry.node.isUnwritten === true && id === undefined
    if (part === 'end') current.endsWithText &&= !isComment && !hasFlag(attributes, 'step')
    else current.endsWithText = entry.type === 'message' && part !== 'step-start' && !isJsonPart(part ?? '')
    const { message } = current
    if (entry.type === 'tool-call') this.#call(entry.toolCallId, { key: toKey(entry), message, number })
    return { message, starts: !continues, named: id !== undefined || isOfRun }
  }

  #continues(last: Current, said: { id: string | undefined; isOfRun: boolean; isText: boolean }): boolean {
    const { id, isOfRun, isText } = said
    if (id !== undefined && last.named) return last.message.id === id
    if (id !== undefined && last.message.id === id) return true
    return isOfRun || !(isText && last.endsWithText)
  }

  #call(id: string, call: OpenCall): void {
    this.#calls.set(call.number, call.message)
    const open = this.#open.get(id)
    if (open === undefined) this.#open.set(id, [call])
    else open.push(call)
  }

  /** It answers the call of its key, else the newest open one of its id. */
  #response(id: string, key: string, number: number): EntryOwner | undefined {
    const again = this.#ignored.get(number)
    if (again !== undefined) {
      const message = this.#calls.get(again)!
      return { message, starts: false, named: false, ignored: true }
    }
    const open = this.#open.get(id)
    if (open === undefined) return undefined
    let index = open.findLastIndex(call => call.key === key)
    if (index < 0 && key === id) index = open.length - 1
    const call = index < 0 ? undefined : open.splice(index, 1)[0]
    if (call === undefined) return undefined
    return { message: call.message, starts: false, named: false, call: call.number }
  }
}

function toKey({ node, toolCallId }: Extract<Entry, { type: 'tool-call' | 'tool-response' }>): string {
  return attributeValue(node.attributes, 'key') ?? toolCallId
}

/**
 * A call with `state="again"` has no response until a run has written another one. Gives the numbers of the responses
 * that do not count, and of their calls.
 */
function responsesToIgnore(entries: readonly Entry[]): Map<number, number> {
  const again: { call: number; responses: number[] }[] = []
  const newest = new Map<string, { call: number; responses: number[] }>()
  for (const [number, entry] of entries.entries()) {
    if (entry.type === 'tool-response') newest.get(toKey(entry))?.responses.push(number)
    if (entry.type !== 'tool-call') continue
    newest.delete(toKey(entry))
    if (attributeValue(entry.node.attributes, 'state') !== 'again') continue
    const owner = { call: number, responses: [] }
    again.push(owner)
    newest.set(toKey(entry), owner)
  }
  const ignored = new Map<number, number>()
  for (const { call, responses } of again) {
    for (const number of responses.length === 1 ? responses : responses.slice(0, -1)) ignored.set(number, call)
  }
  return ignored
}
