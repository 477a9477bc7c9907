export interface ResolverLimits {
  /** Size of a text in bytes, decompressed; 1 MiB. Payloads and metadata have no limit. */
  textBytes: number
  /** Size of an image in bytes; 10 MiB. */
  imageBytes: number
  /** Number of redirects to follow; 5. */
  redirects: number
  /** Size of all response headers in bytes; 16 KiB. */
  headerBytes: number
  /** Milliseconds until the connection is made, name lookup and TLS included; 10 s. */
  connectMs: number
  /** From the connection to the response headers; 15 s. */
  headersMs: number
  /** Between two pieces of a body; 10 s. */
  idleMs: number
  /** In total, redirects included; 30 s. */
  totalMs: number
}

export const defaultLimits: ResolverLimits = {
  textBytes: 1024 * 1024,
  imageBytes: 10 * 1024 * 1024,
  redirects: 5,
  headerBytes: 16 * 1024,
  connectMs: 10_000,
  headersMs: 15_000,
  idleMs: 10_000,
  totalMs: 30_000,
}
