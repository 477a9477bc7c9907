import type { Chunk, ToolDefinition } from '@argot/core'

/** What is read, and with which syntax and tools. */
export interface ReadRequest {
  text: string
  syntax: string
  tools: readonly ToolDefinition[]
}

/** What a range of the text is. The ranges of a reading are in order and cover the text. */
export type SegmentKind =
  | 'text'
  | 'reasoning'
  /** A call, or one that failed. */
  | 'call'
  /** A call that is only shown, so it never runs. */
  | 'example'
  /** Tokens of the model's template and marks around reasoning: no part of the reply. */
  | 'mark'

export interface Segment {
  kind: SegmentKind
  start: number
  end: number
  /** The call's place in `calls`, or the example's in `examples`. */
  index?: number
}

export interface CallReading {
  id: string
  toolName: string
  /** What `auto` detected. */
  dialect?: string | undefined
  start: number
  end: number
  /** How many characters had arrived when the call was known, and when it was settled. */
  openedAt: number
  settledAt: number
  input?: unknown
  repaired?: readonly string[] | undefined
  failure?: { code: string; message: string; offset?: number | undefined } | undefined
}

/** Why a call in the text is only an example. */
export type Place =
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
  place: Place
  input?: unknown
}

/** Something that looks like a call of a known tool, and could not be read as one. */
export interface NearMiss {
  code: string
  toolName: string
  offset: number
  message: string
  cure: string
}

/** The chunks that came out once `at` characters had arrived; up to `end`, the reader had decided what the text is. */
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
