import type { ElementNode } from './reader/tree.ts'

/**
 * What a run knows about one element and the document doesn't show: ids, times, usage, metadata. Records are in the
 * order of their elements. One without `hash` has no element: the start of a step, or the end of a message.
 */
export interface ElementRecord {
  /** Of the element's text. */
  hash?: string
  /** Of the file with its payload. */
  payload?: string
  /** By the names that ChatMD has for them. */
  attributes?: Readonly<Record<string, string | true>>
  meta?: Record<string, Record<string, unknown>>
  argot?: Record<string, unknown>
}

/** The records of a document by element. */
export interface MatchedRecords {
  readonly byElement: ReadonlyMap<ElementNode, ElementRecord>
  /** Records without an element, by the element that they follow; by the next one if they begin a message. */
  readonly after: ReadonlyMap<ElementNode, readonly ElementRecord[]>
  readonly before: ReadonlyMap<ElementNode, readonly ElementRecord[]>
  /** As the hashes of the records were made. */
  readonly hash: (text: string) => string
}
