import type { FilePart, TextPart } from '../../message/message.ts'
import type { Diagnostic } from '../../source/diagnostic.ts'

/**
 * What stands for a helper or a reference:
 * `import` text of a file to be read in its place; `doc` text to be inserted; `img` an image; `agent` the source of
 * another document; `payload` and `meta` files that Argot wrote beside the document (no size limit).
 */
export type ResolveKind = 'import' | 'doc' | 'img' | 'agent' | 'payload' | 'meta'

export interface ResolveRequest {
  kind: ResolveKind
  src: string
  /** A file; otherwise an address. Always true for imports, payloads and metadata. */
  local: boolean
  /** What becomes of HTML in a `doc`. `strip` beats `markdown`. */
  html: 'keep' | 'strip' | 'markdown'
  /** The file in which the element is, as the resolver named it (the document's own `file` at first). */
  from: string | undefined
  /** The document that is being expanded; differs from `from` inside an import. */
  document: string | undefined
  signal?: AbortSignal
}

/** What is wrong with a source: the place is added by the caller. */
export type ResolveProblem = Pick<Diagnostic, 'code' | 'message'> & Partial<Pick<Diagnostic, 'severity' | 'cure'>>

export type ResolveResult =
  /** `file` identifies the source: absolute path or address. Imports in it are resolved against it. */
  | { ok: true; text: string; file: string }
  /** Of an image: a data URI, or the address as it is. */
  | { ok: true; url: string; mediaType: string; file: string }
  | { ok: false; problem: ResolveProblem }

/** Reads what a document refers to. Must not reject for anything that is wrong with the source itself. */
export interface Resolver {
  resolve(request: ResolveRequest): Promise<ResolveResult>
}

/** A place of a document that brings something in: what it names, and the how many-th like it this is. */
export interface FrozenPlace extends Pick<ResolveRequest, 'src' | 'local' | 'html'> {
  /** `answer`: what an agent answered; `param`: the value of the parameter `src`. */
  kind: ResolveKind | 'answer' | 'param'
  /** The file in which it is; undefined for the document itself. */
  from: string | undefined
  nth: number
  /** Where its element is now, which is not part of what it is. */
  at?: { start: number; end: number }
}

export type FrozenSource = Extract<ResolveResult, { ok: true }>

/** What a document brought in when its turns were first sent, so that they are sent again as they were. */
export interface Frozen {
  /** What this place of an answered turn held; undefined where that is not known. */
  recall(place: FrozenPlace): Promise<FrozenSource | undefined>
  keep(place: FrozenPlace, source: FrozenSource): void
}

/** A sub-agent that is to be run. */
export interface AgentRequest {
  /** The other document. */
  file: string
  source: string
  local: boolean
  /** What it is given: the children of the element, expanded. */
  input: (Pick<TextPart, 'type' | 'text'> | Pick<FilePart, 'type' | 'url' | 'mediaType' | 'filename'>)[]
  /** The documents that are running, outermost first, this one last; to be passed on to `expand`. */
  agents: readonly string[]
  signal?: AbortSignal
}

/** `pending`: nothing was run, and the text only says so. */
export type AgentResult = { ok: true; text: string; pending?: true } | { ok: false; problem: ResolveProblem }

/** Runs a document and gives its final answer. Must not reject for a run that failed. */
export type RunAgent = (request: AgentRequest) => Promise<AgentResult>
