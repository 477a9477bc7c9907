import type { FilePart, TextPart } from '../../message/message.ts'
import type { Diagnostic } from '../../source/diagnostic.ts'

/**
 * What a helper or a reference resolves to: `import`: a file's text, read in its place. `doc`: text to insert. `img`:
 * an image. `agent`: another document's source. `payload` and `meta`: files that Argot wrote for the document (no size
 * limit).
 */
export type ResolveKind = 'import' | 'doc' | 'img' | 'agent' | 'payload' | 'meta'

export interface ResolveRequest {
  kind: ResolveKind
  src: string
  /** A file; otherwise an address. Always true for imports, payloads and metadata. */
  local: boolean
  /** How to treat HTML in a `doc`. `strip` takes precedence over `markdown`. */
  html: 'keep' | 'strip' | 'markdown'
  /** The file with the element, as the resolver named it (at first the document's own `file`). */
  from: string | undefined
  /** The document that is being expanded. Differs from `from` inside an import. */
  document: string | undefined
  signal?: AbortSignal
}

/** A problem with a source. The caller adds the position. */
export type ResolveProblem = Pick<Diagnostic, 'code' | 'message'> & Partial<Pick<Diagnostic, 'severity' | 'cure'>>

export type ResolveResult =
  /** `file` identifies the source: absolute path or address. Imports in it are resolved against it. */
  | { ok: true; text: string; file: string }
  /** For an image: a data URI, or the unchanged address. */
  | { ok: true; url: string; mediaType: string; file: string }
  | { ok: false; problem: ResolveProblem }

/** Reads what a document refers to. Must not reject because of a problem with the source itself. */
export interface Resolver {
  resolve(request: ResolveRequest): Promise<ResolveResult>
}

/** A place in a document that includes something. `nth`: its number among places with the same other fields. */
export interface FrozenPlace extends Pick<ResolveRequest, 'src' | 'local' | 'html'> {
  /** `answer`: an agent's answer; `param`: the value of the parameter `src`. */
  kind: ResolveKind | 'answer' | 'param'
  /** Undefined for the document itself. */
  from: string | undefined
  nth: number
  /** The element's current position, which is not part of the place's identity. */
  at?: { start: number; end: number }
}

export type FrozenSource = Extract<ResolveResult, { ok: true }>

/** What a document included when its turns were first sent, so that they can be sent again unchanged. */
export interface FrozenSourceStore {
  /** Undefined if it is not known what this place in an answered turn contained. */
  recall(place: FrozenPlace): Promise<FrozenSource | undefined>
  keep(place: FrozenPlace, source: FrozenSource): void
}

export interface AgentRequest {
  file: string
  source: string
  local: boolean
  /** The element's children, expanded. */
  input: (Pick<TextPart, 'type' | 'text'> | Pick<FilePart, 'type' | 'url' | 'mediaType' | 'filename'>)[]
  /** The running documents, outermost first, this one last. Pass it on to `expand`. */
  agents: readonly string[]
  signal?: AbortSignal
}

/** `pending`: nothing was run, and the text only says so. */
export type AgentResult = { ok: true; text: string; pending?: true } | { ok: false; problem: ResolveProblem }

/** Runs a document and returns its final answer. Must not reject because of a failed run. */
export type RunAgent = (request: AgentRequest) => Promise<AgentResult>
