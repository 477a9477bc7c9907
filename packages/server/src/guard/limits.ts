/** What a server bears. Whoever asks for more is told so by name, with 429 or 413, and nothing hangs. */
export interface Limits {
  /** Runs that work at a time; others wait. */
  runsAtOnce: number
  /** Runs of a document that wait for their turn. */
  queueLength: number
  /** Runs that wait for their turn, of all documents. */
  queuedRuns: number
  /** Streams of one run that are open at a time. */
  readersPerRun: number
  /** Streams of one client that are open at a time. */
  streamsPerClient: number
  /** Streams that are open at a time. */
  streams: number
  /** The longest body of a request, in bytes. */
  bodyBytes: number
  /** The longest document that is written through the server, in bytes. */
  documentBytes: number
  /** Messages in a posted conversation. */
  messages: number
  /** Results over this many bytes travel cut. */
  resultBytes: number
}

export const defaultLimits: Limits = {
  runsAtOnce: 16,
  queueLength: 100,
  queuedRuns: 1000,
  readersPerRun: 1000,
  streamsPerClient: 64,
  streams: 5000,
  bodyBytes: 16 * 1024 * 1024,
  documentBytes: 16 * 1024 * 1024,
  messages: 10_000,
  resultBytes: 256 * 1024,
}
