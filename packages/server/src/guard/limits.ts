/**
 * The server's limits. A request that exceeds one gets an error with status 429, 413 or 422, unless noted below.
 * Nothing hangs.
 */
export interface Limits {
  /** Concurrent runs. Others are queued. */
  runsAtOnce: number
  /** Queued runs per document. */
  queueLength: number
  /** Queued runs of all documents. */
  queuedRuns: number
  readersPerRun: number
  streamsPerClient: number
  /** Open streams in total. */
  streams: number
  bodyBytes: number
  /** The maximum size of a document that is read or written, in bytes. */
  documentBytes: number
  /** Messages in a posted conversation. */
  messages: number
  /** Larger results are cut before they are sent, in bytes. */
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
