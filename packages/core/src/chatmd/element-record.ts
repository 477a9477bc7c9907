import type { ElementNode } from './reader/tree.ts'

/**
 * A run's data about one element that the document doesn't show: ids, times, usage, metadata. Records are in the order
 * of their elements. One without `hash` has no element: the start of a step, or the end of a message.
 */
export interface ElementRecord {
  /** Of the element's text. */
  hash?: string
  /** The hash of its payload file. */
  payload?: string
  /** Under their ChatMD names. */
  attributes?: Readonly<Record<string, string | true>>
  meta?: Record<string, Record<string, unknown>>
  argot?: Record<string, unknown>
}

export interface MatchedRecords {
  readonly byElement: ReadonlyMap<ElementNode, ElementRecord>
  /** Records without an element, by the element that they follow; by the next one if they begin a message. */
  readonly after: ReadonlyMap<ElementNode, readonly ElementRecord[]>
  readonly before: ReadonlyMap<ElementNode, readonly ElementRecord[]>
  /** The function that made the records' hashes. */
  readonly hash: (text: string) => string
}
