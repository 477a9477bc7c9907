import type { Chunk, ToolDefinition } from '@argot/core'

export interface ReadRequest {
  text: string
  syntax: string
  tools: readonly ToolDefinition[]
}

/** What a range of the text is. A reading's ranges are in order and cover the text. */
export type SegmentKind =
  | 'text'
  | 'reasoning'
  | 'call'
  /** A call that is only shown, so it never runs. */
  | 'example'
  /** Template tokens and marks around reasoning, which are not part of the reply. */
  | 'mark'

export interface Segment {
  kind: SegmentKind
  start: number
  end: number
  /** The index into `calls`, or into `examples`. */
  index?: number
}

export interface CallReading {
  id: string
  toolName: string
  dialect?: string | undefined
  start: number
  end: number
  /** How many characters had arrived when the call was recognised, and when it was settled. */
  openedAt: number
  settledAt: number
  input?: unknown
  repaired?: readonly string[] | undefined
  failure?: { code: string; message: string; offset?: number | undefined } | undefined
}

/** Why a call in the text is only an example. */
export type ExamplePlace =
  | 'block'
  | 'code'
  | 'indented'
  | 'quote'
  | 'list'
  | 'table'
  | 'footnote'
  | 'html'
  | 'reasoning'
  | 'escaped'
  | 'other'

export interface Example {
  toolName: string
  start: number
  end: number
  place: ExamplePlace
  input?: unknown
}

/** Something that looks like a call to a known tool but could not be read as one. */
export interface NearMiss {
  code: string
  toolName: string
  offset: number
  message: string
  cure: string
}

/** The chunks that came out after `at` characters. The reader had then decided what the text is up to `end`. */
export interface ReadEvent {
  at: number
  end: number
  chunks: Chunk[]
}

export interface Reading {
  syntax: string
  length: number
  segments: Segment[]
  calls: CallReading[]
  examples: Example[]
  misses: NearMiss[]
  events: ReadEvent[]
}
