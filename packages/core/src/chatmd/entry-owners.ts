import type { Entry } from './document.ts'
import { attributeValue, hasFlag } from './reader/attribute.ts'
import { isJsonPart, offsetOf } from './record.ts'

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
  /** The entries of its message name it, up to this one. */
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
  return entries.map((entry, number) => owners.take(entry, number))
}

/** The message of the assistant that the next entry may continue. */
interface Current {
  message: OwnerMessage
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

  take(entry: Entry, number: number): EntryOwner | undefined {
    if (entry.type === 'import') {
      this.#isCounted = false
      this.#current = undefined
      return undefined
    }
    if (entry.type === 'tool-response') return this.#response(entry.toolCallId, keyOf(entry), number)
    if (entry.type !== 'message' || entry.role === 'assistant') return this.#said(entry, number)
    this.#current = undefined
    const message = this.#start(attributeValue(entry.node.attributes, 'id') || undefined, number)
    return { message, starts: true, named: false }
  }

  #start(id: string | undefined, number: number): OwnerMessage {
    return { id: id ?? (this.#isCounted ? `chatmd-${number}` : undefined), index: this.#messages++ }
  }

  /** An entry of the assistant. */
  #said(entry: Exclude<Entry, { type: 'import' | 'tool-response' }>, number: number): EntryOwner {
    const { attributes } = entry.node
    const id = attributeValue(attributes, 'message')
    // A run names its message with its first element only.
    const isOfRun = offsetOf(attributes) !== undefined
    const part = entry.type === 'message' ? attributeValue(attributes, 'part') : undefined
    const isText = entry.type === 'message' && part === undefined
    const last = this.#current
    const continues =
      last !== undefined &&
      (id === undefined ? isOfRun || (!last.named && !(isText && last.endsWithText)) : last.message.id === id)
    const current = continues ? last : { message: this.#start(id, number), named: false, endsWithText: false }
    this.#current = current
    // A run names the message that it continues, also one that a person wrote.
    if (id !== undefined || isOfRun) current.named = true
    if (part === 'end') current.endsWithText &&= !hasFlag(attributes, 'step')
    else current.endsWithText = entry.type === 'message' && part !== 'step-start' && !isJsonPart(part ?? '')
    const { message, named } = current
    if (entry.type === 'tool-call') this.#call(entry.toolCallId, { key: keyOf(entry), message, number })
    return { message, starts: !continues, named }
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

function keyOf({ node, toolCallId }: Extract<Entry, { type: 'tool-call' | 'tool-response' }>): string {
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
    if (entry.type === 'tool-response') newest.get(keyOf(entry))?.responses.push(number)
    if (entry.type !== 'tool-call') continue
    newest.delete(keyOf(entry))
    if (attributeValue(entry.node.attributes, 'state') !== 'again') continue
    const made = { call: number, responses: [] }
    again.push(made)
    newest.set(keyOf(entry), made)
  }
  const ignored = new Map<number, number>()
  for (const { call, responses } of again) {
    for (const number of responses.length === 1 ? responses : responses.slice(0, -1)) ignored.set(number, call)
  }
  return ignored
}
