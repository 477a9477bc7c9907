import type { Chunk } from '@argot/core'
import type { TranscriptRecord, Tree } from '@argot/core/chatmd/internal'
import type { LogLine } from '@argot/core/stream'

/**
 * Where runs live: the documents with their files and sidecars, the log of each run, who holds a document, and what others
 * have to say to a run. Keys of documents are paths relative to the root of the store. `testStore` holds what every
 * implementation promises.
 */
export interface Store {
  /**
   * The folder that paths are relative to, for what documents refer to; undefined where documents are not files. Such a
   * store keeps every payload in the document.
   */
  readonly root: string | undefined
  readonly documents: Documents
  readonly logs: RunLogs
  readonly leases: Leases
  readonly inbox: Inbox
  readonly trash: Trash
  readonly sidecars: Sidecars
  /** Erases what is old, in a store whose documents are not files; for a folder there is `pruneFolder`. */
  prune?(options: PruneOptions): Promise<Pruned>
  /** The files beside a document. */
  files(path: string): DocumentFiles
  /** What files had before and after tools changed them, so that a turn can be undone. A store without it keeps none. */
  versions?(path: string): FileVersions
}

/**
 * Contents of files that a document's tools have changed, by their SHA-256 in hex. They follow the document to another path and
 * to the trash, and are erased with it. If there are too many, the oldest go.
 */
export interface FileVersions {
  /** Keeps a content, and resolves with true when it survives a power failure. False for one that is too large. */
  keep(hash: string, content: Uint8Array): Promise<boolean>
  /** Undefined for a content that isn't kept any more, and for a file that isn't what its name says. */
  read(hash: string): Promise<Uint8Array | undefined>
}

/** The largest content that is kept, in bytes, and the most for one document. */
export const VERSION_BYTES: number = 8 * 1024 * 1024
export const VERSIONS_BYTES: number = 64 * 1024 * 1024

export interface PruneOptions {
  /** What is younger stays, in milliseconds. */
  olderThanMs: number
  /** Says what would go, and removes nothing. */
  dryRun?: boolean | undefined
  now?: (() => number) | undefined
}

/** Something that went, or would go. */
export interface PrunedItem {
  /**
   * `document`: one in the trash, with everything that was kept for it. `run`: the log and the posts of a run. `versions`: what
   * files had before and after a document's old turns.
   */
  kind: 'document' | 'run' | 'versions'
  /** The document. */
  path: string
  run?: string
  bytes: number
}

export interface Pruned {
  items: PrunedItem[]
  /** What could not be removed, and why. */
  failures: { path: string; message: string }[]
}

/**
 * The kinds of files beside a document. `payloads`: what went into its calls and came out of them, if that is not in the
 * text. `sources`: what its turns brought in; `index.json` says which. `cache`: what agents answered. `attachments`: what
 * people added. The first three may be shared with other documents, so no kind but `attachments` is removed by name.
 */
export type FileKind = 'payloads' | 'sources' | 'cache' | 'attachments'

/**
 * Files that belong to a document, by kind and name. They follow it to another path and to the trash, and are erased with
 * it, unless another document refers to them. They aren't signed: anyone who can write there may have written them.
 */
export interface DocumentFiles {
  /** Undefined for a file that isn't there. */
  read(kind: FileKind, name: string): Promise<Uint8Array | undefined>
  /** As a whole or not at all; replaces a file of the same name. It survives a power failure once this resolves. */
  write(kind: FileKind, name: string, content: string | Uint8Array): Promise<void>
  /** The names of a kind, sorted. Other documents' files may be among them, except for `attachments`. */
  list(kind: FileKind): Promise<string[]>
  /** A file that isn't there is removed already. */
  remove(kind: 'attachments', name: string): Promise<void>
}

/**
 * What Argot knows about the elements of a document and the text doesn't say: one list of records, which are JSON values, per
 * document. Only the holder of the document appends. A sidecar follows its document to another path and to the trash, and
 * is erased with it.
 */
export interface Sidecars {
  open(path: string, lease: Lease): Promise<OpenSidecar>
  /** The records so far, in order. None for a document without records. */
  read(path: string): Promise<Sidecar>
}

/** A sidecar to which the holder of its document appends. */
export interface OpenSidecar {
  /**
   * `isSigned: false` keeps a record that this user doesn't vouch for, such as the claims of a document from elsewhere. A
   * record that was read back unsigned must never be appended signed.
   */
  append(record: unknown, options?: { isSigned?: boolean | undefined }): void
  /**
   * Resolves when everything that was appended survives `kill -9`. After a crash each record is there as a whole or not at
   * all, and none is missing before one that is there. Rejects with `RUN_LEASE_LOST` when another process holds the document.
   */
  flush(): Promise<void>
  /** Resolves when it survives a power failure. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface Sidecar {
  /** The version of the format. Records of a later version than this Argot knows aren't read, and can't be appended to. */
  version: number
  records: readonly SidecarRecord[]
}

export interface SidecarRecord {
  value: unknown
  /** This user surely wrote it, in this place of these records. If a store needs no signatures, only `append` decides. */
  isSigned: boolean
}

export interface Documents {
  /**
   * Rejects with the error of the system for a document that is not there or cannot be read, and with
   * `CHATMD_SOURCE_TOO_LARGE` for one that is longer than `most` says, without reading it.
   */
  read(path: string, options?: ReadLimit): Promise<StoredDocument>
  /** The first bytes of a document as text, for a look at it. A store without it is asked to `read`. */
  readStart?(path: string, bytes: number): Promise<string>
  /**
   * The version of each document and when it last changed, in milliseconds, or that of one. For lists of documents that are
   * not files.
   */
  stamps?(path?: string): Promise<Map<string, { version: string; at: number }>>
  /** Opens a document for the holder of its lease. */
  open(path: string, lease: Lease, options?: ReadLimit): Promise<OpenDocument>
  /**
   * Replaces the whole text at once: after a crash the document has the old text or the new one. Throws
   * `RUN_FILE_CHANGED` when the version is not `after` any more. Without `after` it creates the document, which needs no
   * lease because nobody can hold what is not there. Gives the new version.
   */
  write(path: string, text: string, options: WriteCondition): Promise<string>
  /**
   * Makes a new document and gives its path: `to` where it is given, else the next free name beside `path`. It has the
   * records of `path`, for the elements that both have.
   */
  branch(path: string, text: string, to?: string): Promise<string>
  /**
   * Moves a document to the trash, with its logs and posts. It is gone at once, or still there: a crash leaves no half.
   * Another document may have its path afterwards, and does not meet its runs.
   */
  remove(path: string, lease: Lease): Promise<TrashedDocument>
  /**
   * Gives a document another path, with its logs, posts, files and sidecar. Throws `RUN_OUTPUT_EXISTS` if another document
   * has that path. A crash leaves the document at one of both paths or in the trash, with everything that belongs to it.
   */
  rename(path: string, to: string, lease: Lease): Promise<void>
  /** Erases a document and everything that was kept for it, except what another document refers to. */
  erase(path: string, lease: Lease): Promise<void>
  /** Every document, sorted. */
  list(): Promise<string[]>
  /**
   * The paths of documents that change from now on, those included that a run takes or leaves. Ends with the signal.
   */
  watch(signal: AbortSignal): AsyncIterable<string>
}

/** Documents that were removed. Several of them may have had the same path. */
export interface Trash {
  /** Oldest first: those that had this path, or all. */
  list(path?: string): Promise<TrashedDocument[]>
  /**
   * Brings a document back with its logs and posts. Throws `RUN_OUTPUT_EXISTS` while another document has its path, and
   * `RUN_NOT_IN_TRASH` for one that is not there.
   */
  restore(document: TrashedDocument): Promise<void>
  /** Erases a document as `documents.erase` does. One that is not there is erased already. */
  erase(document: TrashedDocument): Promise<void>
}

export interface TrashedDocument {
  /** The path that it had. */
  path: string
  /** No two have the same. */
  id: string
  /** When it was removed, in milliseconds. */
  at: number
}

/** How many bytes of a document are read at most. */
export interface ReadLimit {
  most?: number | undefined
}

/** `most` is of the text that is there. */
export type WriteCondition = ReadLimit &
  ({ after: string; lease: Lease } | { after?: undefined; lease?: Lease | undefined })

export interface StoredDocument {
  text: string
  /** An opaque mark that changes with the text. */
  version: string
}

/** A document to which its one holder appends. */
export interface OpenDocument {
  /** The whole text as it is now. */
  readonly text: string
  /** The text as `parseTree` reads it, in a store that needs it itself: then nobody parses the document a second time. */
  readonly tree?: Tree
  /** Bytes after `text` that are not text: a crash has cut a character. */
  readonly damage: Error | undefined
  /**
   * Appends the elements of these records as a whole; the files that they refer to, and what they leave out, in the sidecar,
   * are there before they are. Throws `RUN_FILE_CHANGED` when somebody else has changed the document; from then on it is left alone.
   * `calls` is the highest number that a call has had so far, for the sidecar.
   */
  append(records: readonly TranscriptRecord[], payloads: Payloads, calls?: number): Promise<void>
  /** Takes what follows `at` out of the document and keeps it elsewhere; gives the name of that place. */
  cut(at: number): Promise<string>
  /** Writes payload files and records of elements again that are not there, or only in part. */
  restore(elements: readonly WrittenElement[], payloads: Payloads): Promise<void>
  /** Resolves when everything that was appended survives a power failure. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** `inline`: what goes into calls and comes out of them is part of the document; `external`: it is in files beside it. */
export type Payloads = 'inline' | 'external'

/** The records of one element, the files that the document names for it, and its text. */
export interface WrittenElement {
  records: readonly TranscriptRecord[]
  files: readonly string[]
  /** Undefined for what a document doesn't show: the start of a step, the end of a message. */
  text?: string | undefined
}

export interface RunLogs {
  /** Opens the log of a run for the holder of the lease of its document: a new one, or one that is continued. */
  open(path: string, run: string, lease: Lease): Promise<RunLog>
  /** Undefined for a run that has no log. */
  read(run: string): Promise<StoredLog | undefined>
  /**
   * The same without keeping the lines: they are read while they are iterated, as often as that is done, in memory that
   * does not grow with the log. A store without it is asked to `read`.
   */
  scan?(run: string): Promise<ScannedLog | undefined>
  /**
   * The next lines from the offset `from` on, internal marks included, whoever wrote them. A store may give only some of a
   * long log at a time: ask again after the last line until there are none. None for a run that has no log. Costs no more
   * than what is new for whoever asks again after the last line that it has.
   */
  tail(run: string, from: number): Promise<TailLine[]>
  /**
   * The lines from the offset `from` on, those to come included, without internal marks. Ends after the end of the run,
   * and with the signal. A parked run has not ended. A run that has no log yet is waited for.
   */
  follow(run: string, from?: number, signal?: AbortSignal): AsyncIterable<LogLine>
  /**
   * Everything that happens to a run: first what there is from the offset `from` on, then lines as soon as they are flushed
   * and the state as soon as it changes. A watcher reads nothing while nothing happens. Ends after the end of the run, when
   * its document is removed or renamed, and with the signal; immediately for a run that has no log.
   */
  watch(run: string, from: number, signal: AbortSignal): AsyncIterable<RunNews>
  /** Looks for a run without knowing anything about it. A process that wants to know more than once watches. */
  find(run: string): Promise<RunEntry | undefined>
  list(filter?: { path?: string | undefined; state?: RunState | undefined }): Promise<RunEntry[]>
}

/**
 * `running`: somebody holds its document. `waiting`: it is parked until somebody answers. `interrupted`: its process is
 * gone and nobody has continued it yet. `ended`: nothing more will come.
 */
export type RunState = 'running' | 'waiting' | 'interrupted' | 'ended'

export interface RunEntry {
  run: string
  /** Its document. */
  path: string
  state: RunState
}

/** What has happened to a run. */
export interface RunNews {
  path: string
  /** After these lines. Undefined if there are more of them already. */
  state: RunState | undefined
  /** Lines as `tail` gives them: internal marks included. */
  lines: readonly TailLine[]
}

/** A line of a log, and whether this user surely wrote it. */
export interface TailLine extends LogLine {
  /**
   * The line has a good signature. Every line that decides something has one as soon as it is written; pieces of texts and
   * inputs have none of their own. Where a store needs no signatures, all lines are signed.
   */
  isSigned: boolean
}

/** A log as it was left. */
export interface StoredLog {
  run: string
  path: string
  lines: readonly LogLine[]
  /** How many of the lines this user surely wrote: what follows them may come from anybody. */
  believed: number
  /** The offset of the next line. */
  next: number
}

/** A log as it was left, whose lines are read while they are iterated. */
export interface ScannedLog extends Omit<StoredLog, 'lines'> {
  lines: Iterable<LogLine>
}

/** A log that its one holder writes. */
export interface RunLog {
  /** Numbers the chunk at once. `time` is when it came, in milliseconds; now by default. */
  append(chunk: Chunk, time?: number): number
  /**
   * Resolves when everything that was appended survives `kill -9` of every process of ours. Nobody is shown a chunk that
   * is not flushed. Rejects with `RUN_LEASE_LOST` soon after another process holds the document, `sync` at once; what was
   * written until then is of an older epoch, and nobody reads it.
   */
  flush(): Promise<void>
  /**
   * Resolves when it survives a power failure. Awaited before a call starts that does not only read, after the answer of
   * a person, at `finish-step`, and at the end.
   */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface Leases {
  /** Takes a document. Throws `RUN_LOCKED` while another process has it, or waits for it. */
  take(path: string, options?: LeaseOptions): Promise<Lease>
  /** Who has it, in words for a person; undefined while it is free. */
  holder(path: string): Promise<string | undefined>
}

export interface LeaseOptions {
  /** Waits while another process has it. */
  wait?: boolean | undefined
  /** Gives up after this many milliseconds of waiting, with `RUN_LOCKED`; one hour by default. */
  waitMs?: number | undefined
  /** Takes the document from a holder on another machine or in another container without waiting for it to fall silent. */
  takeOver?: boolean | undefined
  /** Called once when waiting takes longer, with who has the document, in words for a person. */
  notice?: ((text: string) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The right to write one document and its logs. */
export interface Lease {
  readonly path: string
  /** Higher than that of every holder before. */
  readonly epoch: number
  /** Aborted soon after another process holds the document, whether or not this one asks. */
  readonly lost: AbortSignal
  /** False when it is lost. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/** What others have to say to a run. It stays until the holder of the run has written what it took into the log. */
export interface Inbox {
  /** Keeps a post. The first one of an id counts, and every later one is told so. */
  post(run: string, post: Post): Promise<'accepted' | 'already'>
  /** The posts so far, each id once. */
  read(run: string): Promise<Post[]>
  /** Every post of the run, those to come included, each once. Ends with the signal. */
  follow(run: string, signal: AbortSignal): AsyncIterable<Post>
}

/** What is said to a run, with an id of its own. */
export type Post = { id: string } & (
  | { type: 'stop'; reason?: string | undefined }
  /** `inputHash` is that of the input which the person was shown (`hashInput`). */
  | { type: 'answer'; approvalId: string; inputHash?: string | undefined; answer: unknown }
  /** `key` and `digest` are those of the send, for a run that answers the message if this one ends before. */
  | { type: 'message'; message: unknown; key?: string | undefined; digest?: string | undefined }
  | { type: 'output'; toolCallId: string; output?: unknown; errorText?: string | undefined }
)
