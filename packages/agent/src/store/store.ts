import type { Chunk } from '@argot/core'
import type { TranscriptRecord, Tree } from '@argot/core/chatmd/internal'
import type { LogLine } from '@argot/core/stream'

/**
 * Keeps everything about runs: documents with their files and sidecars, each run's log, leases on documents, and
 * messages sent to runs. Documents are identified by paths relative to the store's root. `testStore` checks what every
 * implementation must guarantee.
 */
export interface Store {
  /**
   * The folder that paths and references in documents are relative to. Undefined if documents aren't files; such a
   * store keeps every payload inside the document.
   */
  readonly root: string | undefined
  readonly documents: Documents
  readonly logs: RunLogs
  readonly leases: Leases
  readonly inbox: Inbox
  readonly trash: Trash
  readonly sidecars: Sidecars
  /** Erases old data in a store whose documents aren't files. For folders, use `pruneFolder`. */
  prune?(options: PruneOptions): Promise<Pruned>
  files(path: string): DocumentFiles
  /** The contents of files before and after tools changed them, so that turns can be undone. Optional. */
  versions?(path: string): FileVersions
}

/**
 * Contents of files that a document's tools have changed, by their SHA-256 in hex. They move with the document to
 * another path or to the trash, and are erased with it. If there are too many, the oldest are removed.
 */
export interface FileVersions {
  /** Resolves with true once the content survives a power failure, or with false if it is too large to keep. */
  keep(hash: string, content: Uint8Array): Promise<boolean>
  /** Undefined if the content is no longer kept, or doesn't match its hash. */
  read(hash: string): Promise<Uint8Array | undefined>
}

/** The largest content that is kept, in bytes, and the limit for one document. */
export const VERSION_BYTES: number = 8 * 1024 * 1024
export const VERSIONS_BYTES: number = 64 * 1024 * 1024

export interface PruneOptions {
  /** Keeps everything younger than this, in milliseconds. */
  olderThanMs: number
  /** Reports what would be removed, and removes nothing. */
  dryRun?: boolean | undefined
  now?: (() => number) | undefined
}

export interface PrunedItem {
  /**
   * `document`: one in the trash, with everything kept for it. `run`: a run's log and posts. `versions`: the contents
   * of files before and after a document's old turns.
   */
  kind: 'document' | 'run' | 'versions'
  path: string
  run?: string
  bytes: number
}

export interface Pruned {
  items: PrunedItem[]
  failures: { path: string; message: string }[]
}

/**
 * The kinds of files beside a document. `payloads`: inputs and outputs of its calls that aren't in the text. `sources`:
 * content that its turns brought in; `index.json` lists it. `cache`: answers of agents. `attachments`: files that
 * people added. Other documents may share the first three, so only `attachments` can be removed by name.
 */
export type FileKind = 'payloads' | 'sources' | 'cache' | 'attachments'

/**
 * Files that belong to a document, by kind and name. They move with it to another path or to the trash, and are erased
 * with it unless another document refers to them. They aren't signed: anyone with write access may have written them.
 */
export interface DocumentFiles {
  /** Undefined if the file doesn't exist. */
  read(kind: FileKind, name: string): Promise<Uint8Array | undefined>
  /** Writes the whole file or nothing; replaces an existing file. Survives a power failure once this resolves. */
  write(kind: FileKind, name: string, content: string | Uint8Array): Promise<void>
  /** The names of a kind, sorted. Except for `attachments`, they may include other documents' files. */
  list(kind: FileKind): Promise<string[]>
  /** Does nothing if the file doesn't exist. */
  remove(kind: 'attachments', name: string): Promise<void>
}

/**
 * What Argot knows about a document's elements beyond the text: one list of JSON records per document. Only the
 * document's holder appends. A sidecar moves with its document to another path or to the trash, and is erased with it.
 */
export interface Sidecars {
  open(path: string, lease: Lease): Promise<OpenSidecar>
  /** The records so far, in order; empty for a document without records. */
  read(path: string): Promise<Sidecar>
}

export interface OpenSidecar {
  /**
   * `isSigned: false` marks a record that this user doesn't vouch for, such as the claims of a document from elsewhere.
   * Never sign a record that was unsigned when you read it.
   */
  append(record: unknown, options?: { isSigned?: boolean | undefined }): void
  /**
   * Resolves when everything appended survives `kill -9`. After a crash, each record is complete or absent, and no
   * record is missing before one that exists. Rejects with `RUN_LEASE_LOST` if another process holds the document.
   */
  flush(): Promise<void>
  /** Resolves when it survives a power failure. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface Sidecar {
  /** The format version. Records of a later version than this Argot supports can't be read or appended to. */
  version: number
  records: readonly SidecarRecord[]
}

export interface SidecarRecord {
  value: unknown
  /** This user definitely wrote it at this place. If a store needs no signatures, this is what `append` said. */
  isSigned: boolean
}

export interface Documents {
  /**
   * Rejects with the system's error if the document doesn't exist or can't be read. Rejects with
   * `CHATMD_SOURCE_TOO_LARGE` if it is longer than `most`, without reading it.
   */
  read(path: string, options?: ReadLimit): Promise<StoredDocument>
  /** The first bytes of a document as text, for previews. If a store lacks this, `read` is used. */
  readStart?(path: string, bytes: number): Promise<string>
  /** Version and time of the last change in milliseconds, for lists of documents that aren't files. */
  stamps?(path?: string): Promise<Map<string, { version: string; at: number }>>
  open(path: string, lease: Lease, options?: ReadLimit): Promise<OpenDocument>
  /**
   * Replaces the whole text atomically: after a crash, the document has the old text or the new one. Throws
   * `RUN_FILE_CHANGED` if the version is no longer `after`. Without `after`, it creates the document, which needs no
   * lease because a missing document can't be held. Returns the new version.
   */
  write(path: string, text: string, options: WriteCondition): Promise<string>
  /**
   * Makes a new document and returns its path: `to` if given, otherwise the next free name beside `path`. Copies the
   * records of all elements that both documents have.
   */
  branch(path: string, text: string, to?: string): Promise<string>
  /**
   * Moves a document to the trash, with its logs and posts. This is atomic: after a crash, the document is removed or
   * still there. Another document can use the path afterwards and doesn't see the old one's runs.
   */
  remove(path: string, lease: Lease): Promise<TrashedDocument>
  /**
   * Moves a document to another path, with its logs, posts, files and sidecar. Throws `RUN_OUTPUT_EXISTS` if another
   * document has that path. After a crash, the document is at one of the two paths or in the trash, with everything
   * that belongs to it.
   */
  rename(path: string, to: string, lease: Lease): Promise<void>
  /** Erases a document and everything kept for it, except what another document refers to. */
  erase(path: string, lease: Lease): Promise<void>
  /** All documents, sorted. */
  list(): Promise<string[]>
  /** The paths of documents that change from now on, or that a run takes or releases. Ends with the signal. */
  watch(signal: AbortSignal): AsyncIterable<string>
}

/** Removed documents. Several of them may have had the same path. */
export interface Trash {
  /** Oldest first: those that had this path, or all. */
  list(path?: string): Promise<TrashedDocument[]>
  /**
   * Restores a document with its logs and posts. Throws `RUN_OUTPUT_EXISTS` while another document has its path, and
   * `RUN_NOT_IN_TRASH` if it isn't in the trash.
   */
  restore(document: TrashedDocument): Promise<void>
  /** Erases a document as `documents.erase` does. Does nothing if it isn't in the trash. */
  erase(document: TrashedDocument): Promise<void>
}

export interface TrashedDocument {
  /** The path before its removal. */
  path: string
  /** Unique. */
  id: string
  /** When it was removed, in milliseconds. */
  at: number
}

/** The maximum size of a document, in bytes. */
export interface ReadLimit {
  most?: number | undefined
}

/** `most` limits the existing text. */
export type WriteCondition = ReadLimit &
  ({ after: string; lease: Lease } | { after?: undefined; lease?: Lease | undefined })

export interface StoredDocument {
  text: string
  /** An opaque mark that changes with the text. */
  version: string
}

export interface OpenDocument {
  readonly text: string
  /** The text as `parseTree` reads it, if the store needs it anyway: then the document isn't parsed twice. */
  readonly tree?: Tree
  /** Set if bytes that aren't text follow `text`: a crash cut a character. */
  readonly damage: Error | undefined
  /**
   * Appends the elements of these records as a whole. The files they refer to, and their sidecar records, are written
   * first. Throws `RUN_FILE_CHANGED` if something else has changed the document, and never writes to it again. `calls`
   * is the highest call number so far, for the sidecar.
   */
  append(records: readonly TranscriptRecord[], payloads: Payloads, calls?: number): Promise<void>
  /** Cuts everything after `at` out of the document, keeps it elsewhere, and returns the name of that place. */
  cut(at: number): Promise<string>
  /** Rewrites payload files and records of elements that are missing or incomplete. */
  restore(elements: readonly WrittenElement[], payloads: Payloads): Promise<void>
  /** Resolves when everything appended survives a power failure. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** `inline`: inputs and outputs of calls are part of the document. `external`: they are in files beside it. */
export type Payloads = 'inline' | 'external'

export interface WrittenElement {
  records: readonly TranscriptRecord[]
  files: readonly string[]
  /** Undefined for elements that a document doesn't show: the start of a step, the end of a message. */
  text?: string | undefined
}

export interface RunLogs {
  /** Opens the log of a run for the holder of its document's lease: a new log, or an existing one to continue. */
  open(path: string, run: string, lease: Lease): Promise<RunLog>
  /** Undefined if the run has no log. */
  read(run: string): Promise<StoredLog | undefined>
  /** Like `read`, but reads the lines again in each iteration, in constant memory. If missing, `read` is used. */
  scan?(run: string): Promise<ScannedLog | undefined>
  /**
   * The next lines from the offset `from`, including internal marks, whoever wrote them. A store may return only part
   * of a long log: ask again after the last line until there are no more. Empty for a run without a log. Asking again
   * after the last line you have costs no more than reading the new lines.
   */
  tail(run: string, from: number): Promise<TailLine[]>
  /**
   * The lines from the offset `from`, including those to come, without internal marks. Ends after the end of the run,
   * and with the signal. A parked run has not ended. If the run has no log yet, it waits for one.
   */
  follow(run: string, from?: number, signal?: AbortSignal): AsyncIterable<LogLine>
  /**
   * Everything that happens to a run: first what exists from the offset `from`, then lines as soon as they are flushed
   * and the state as soon as it changes. A watcher reads nothing while nothing happens. Ends after the end of the run,
   * when its document is removed or renamed, and with the signal; immediately for a run without a log.
   */
  watch(run: string, from: number, signal: AbortSignal): AsyncIterable<RunNews>
  /** Looks up a run by its id alone. To follow its state, use `watch`. */
  find(run: string): Promise<RunEntry | undefined>
  list(filter?: { path?: string | undefined; state?: RunState | undefined }): Promise<RunEntry[]>
}

/**
 * `running`: a process holds its document. `waiting`: it is parked until it gets an answer. `interrupted`: its process
 * is gone and no other has continued it yet. `ended`: nothing more will come.
 */
export type RunState = 'running' | 'waiting' | 'interrupted' | 'ended'

export interface RunEntry {
  run: string
  path: string
  state: RunState
}

export interface RunNews {
  path: string
  /** The state after these lines. Undefined if there are already more lines. */
  state: RunState | undefined
  /** Includes internal marks. */
  lines: readonly TailLine[]
}

export interface TailLine extends LogLine {
  /**
   * The line has a good signature. Every line that decides something is signed as soon as it is written; deltas of
   * texts and inputs have no signature of their own. If a store needs no signatures, all lines are signed.
   */
  isSigned: boolean
}

export interface StoredLog {
  run: string
  path: string
  lines: readonly LogLine[]
  /** How many of the lines this user definitely wrote. Anyone may have written the lines after them. */
  believed: number
  /** The offset of the next line. */
  next: number
}

/** Its lines are read while you iterate. */
export interface ScannedLog extends Omit<StoredLog, 'lines'> {
  lines: Iterable<LogLine>
}

export interface RunLog {
  /** Numbers the chunk immediately. `time` is when it arrived, in milliseconds; now by default. */
  append(chunk: Chunk, time?: number): number
  /**
   * Resolves when everything appended survives `kill -9` of all our processes. Readers never see a chunk that isn't
   * flushed. Rejects with `RUN_LEASE_LOST` soon after another process holds the document (`sync` rejects immediately).
   * Lines written until then belong to an older epoch, and readers ignore them.
   */
  flush(): Promise<void>
  /**
   * Resolves when it survives a power failure. Awaited before a call starts that doesn't only read, after a person's
   * answer, at `finish-step`, and at the end.
   */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface Leases {
  /** Takes a document. While another process holds it, throws `RUN_LOCKED` or waits, depending on the options. */
  take(path: string, options?: LeaseOptions): Promise<Lease>
  /** Describes the holder for a person; undefined while the document is free. */
  holder(path: string): Promise<string | undefined>
}

export interface LeaseOptions {
  /** Waits while another process holds the document. */
  wait?: boolean | undefined
  /** Gives up after waiting this many milliseconds, with `RUN_LOCKED`; one hour by default. */
  waitMs?: number | undefined
  /** Takes the document from a holder elsewhere without waiting for it to fall silent. */
  takeOver?: boolean | undefined
  /** Called once if the wait takes longer, with a description of the holder for a person. */
  notice?: ((text: string) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The right to write one document and its logs. */
export interface Lease {
  readonly path: string
  /** Higher than every earlier holder's. */
  readonly epoch: number
  /** Aborted soon after another process holds the document, even if this process never checks. */
  readonly lost: AbortSignal
  /** False once the lease is lost. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/** Messages sent to runs. A post stays until the run's holder has written what it took from it into the log. */
export interface Inbox {
  /** Keeps a post. Only the first post with an id is accepted; later ones get `already`. */
  post(run: string, post: Post): Promise<'accepted' | 'already'>
  /** The posts so far, each id once. */
  read(run: string): Promise<Post[]>
  /** Every post of the run, including those to come, each once. Ends with the signal. */
  follow(run: string, signal: AbortSignal): AsyncIterable<Post>
}

export type Post = { id: string } & (
  | { type: 'stop'; reason?: string | undefined }
  /** `inputHash` is the hash of the input that the person saw (`hashInput`). */
  | { type: 'answer'; approvalId: string; inputHash?: string | undefined; answer: unknown }
  /** `key` and `digest` come from the send, in case this run ends first and another one answers the message. */
  | { type: 'message'; message: unknown; key?: string | undefined; digest?: string | undefined }
  | { type: 'output'; toolCallId: string; output?: unknown; errorText?: string | undefined }
)
