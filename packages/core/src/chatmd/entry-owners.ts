import type { ChatMdEntry } from './document.ts'
import { attributeValue, hasFlag } from './reader/attribute.ts'
import { isJsonPart, readOffset } from './record.ts'

export interface OwnerMessage {
  /** Undefined if it depends on imports before it. */
  id: string | undefined
  index: number
}

export interface EntryOwner {
  message: OwnerMessage
  startsMessage: boolean
  /** A run wrote the entry: it names its message, or has an offset in the run's log. */
  isRecorded: boolean
  /** For a response: the number of its call's entry. */
  call?: number
  /** A response to a call that is to be made again. */
  ignored?: boolean
}

/**
 * Returns the message for each entry of a document; undefined for an import, and for a response whose call is missing.
 */
export function entryOwners(entries: readonly ChatMdEntry[]): (EntryOwner | undefined)[] {
  const owners = new OwnerFinder(responsesToIgnore(entries))
  // Unwritten entries have no number: messages have the same number with and without a sidecar.
  let unwrittenCount = 0
  return entries.map((entry, index) => {
    const owner = owners.take(entry, index, index - unwrittenCount)
    if (entry.node.isUnwritten === true) unwrittenCount++
    return owner
  })
}

interface CurrentMessage {
  message: OwnerMessage
  isNamed: boolean
  endsWithText: boolean
}

interface OpenCallEntry {
  key: string
  message: OwnerMessage
  number: number
}

class OwnerFinder {
  readonly #ignored: ReadonlyMap<number, number>
  #messages = 0
  #current: CurrentMessage | undefined
  readonly #messageByCall: Map<number, OwnerMessage> = new Map()
  /** Calls without a response, by id, newest last. */
  readonly #open: Map<string, OpenCallEntry[]> = new Map()
  /** The number of entries in an import is unknown here, so messages after it have no number. */
  #isCounted = true

  constructor(ignored: ReadonlyMap<number, number>) {
    this.#ignored = ignored
  }

  take(entry: ChatMdEntry, number: number, writtenNumber: number): EntryOwner | undefined {
    if (entry.type === 'import') {
      this.#isCounted = false
      this.#current = undefined
      return undefined
    }
    if (entry.type === 'tool-response') return this.#response(entry.toolCallId, toKey(entry), number)
    if (entry.type !== 'message' || entry.role === 'assistant') return this.#takeAssistant(entry, number, writtenNumber)
    this.#current = undefined
    const message = this.#start(attributeValue(entry.node.attributes, 'id') || undefined, writtenNumber)
    return { message, startsMessage: true, isRecorded: false }
  }

  #start(id: string | undefined, writtenNumber: number): OwnerMessage {
    return { id: id ?? (this.#isCounted ? `chatmd-${writtenNumber}` : undefined), index: this.#messages++ }
  }

  #takeAssistant(
    entry: Exclude<ChatMdEntry, { type: 'import' | 'tool-response' }>,
    number: number,
    writtenNumber: number,
  ): EntryOwner {
    const { attributes } = entry.node
    const id = attributeValue(attributes, 'message')
    // Runs of older versions name their message only with its first element.
    const isOfRun = readOffset(attributes) !== undefined
    const part = entry.type === 'message' ? attributeValue(attributes, 'part') : undefined
    const isText = entry.type === 'message' && part === undefined
    const last = this.#current
    const continues = last !== undefined && this.#continues(last, { id, isOfRun, isText })
    const current = continues ? last : { message: this.#start(id, writtenNumber), isNamed: false, endsWithText: false }
    this.#current = current
    // Text that a person wrote or changed before it belongs to the same message.
    if (id !== undefined && !current.isNamed) current.message.id = id
    if (id !== undefined || isOfRun) current.isNamed = true
    // Anything after a comment about an ending continues the message.
    const isComment = entry.node.isUnwritten === true && id === undefined
    if (part === 'end') current.endsWithText &&= !isComment && !hasFlag(attributes, 'step')
    else current.endsWithText = entry.type === 'message' && part !== 'step-start' && !isJsonPart(part ?? '')
    const { message } = current
    if (entry.type === 'tool-call') this.#call(entry.toolCallId, { key: toKey(entry), message, number })
    return { message, startsMessage: !continues, isRecorded: id !== undefined || isOfRun }
  }

  #continues(last: CurrentMessage, next: { id: string | undefined; isOfRun: boolean; isText: boolean }): boolean {
    const { id, isOfRun, isText } = next
    if (id !== undefined && last.isNamed) return last.message.id === id
    if (id !== undefined && last.message.id === id) return true
    return isOfRun || !(isText && last.endsWithText)
  }

  #call(id: string, call: OpenCallEntry): void {
    this.#messageByCall.set(call.number, call.message)
    const open = this.#open.get(id)
    if (open === undefined) this.#open.set(id, [call])
    else open.push(call)
  }

  /** A response answers the call with its key, or otherwise the newest open call with its id. */
  #response(id: string, key: string, number: number): EntryOwner | undefined {
    const repeatedCall = this.#ignored.get(number)
    if (repeatedCall !== undefined) {
      const message = this.#messageByCall.get(repeatedCall)!
      return { message, startsMessage: false, isRecorded: false, ignored: true }
    }
    const open = this.#open.get(id)
    if (open === undefined) return undefined
    let index = open.findLastIndex(call => call.key === key)
    if (index < 0 && key === id) index = open.length - 1
    const call = index < 0 ? undefined : open.splice(index, 1)[0]
    if (call === undefined) return undefined
    return { message: call.message, startsMessage: false, isRecorded: false, call: call.number }
  }
}

function toKey({ node, toolCallId }: Extract<ChatMdEntry, { type: 'tool-call' | 'tool-response' }>): string {
  return attributeValue(node.attributes, 'key') ?? toolCallId
}

/**
 * A call with `state="again"` has no response until a run writes another one. Returns the numbers of the responses to
 * ignore, and of their calls.
 */
function responsesToIgnore(entries: readonly ChatMdEntry[]): Map<number, number> {
  const repeatedCalls: { call: number; responses: number[] }[] = []
  const newest = new Map<string, { call: number; responses: number[] }>()
  for (const [number, entry] of entries.entries()) {
    if (entry.type === 'tool-response') newest.get(toKey(entry))?.responses.push(number)
    if (entry.type !== 'tool-call') continue
    newest.delete(toKey(entry))
    if (attributeValue(entry.node.attributes, 'state') !== 'again') continue
    const owner = { call: number, responses: [] }
    repeatedCalls.push(owner)
    newest.set(toKey(entry), owner)
  }
  const ignored = new Map<number, number>()
  for (const { call, responses } of repeatedCalls) {
    for (const number of responses.length === 1 ? responses : responses.slice(0, -1)) ignored.set(number, call)
  }
  return ignored
}
