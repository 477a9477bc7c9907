/** How much may be read, and how long it may take. */
export interface ResolverLimits {
  /** Of a text, in bytes, decompressed; 1 MiB. Payloads and metadata have no limit of their own. */
  textBytes: number
  /** Of a local image, in bytes; 10 MiB. */
  imageBytes: number
  /** Redirects that are followed; 5. */
  redirects: number
  /** All headers of a reply together, in bytes; 16 KiB. */
  headerBytes: number
  /** Until a connection is made, name lookup and TLS included, in milliseconds; 10 s. */
  connectMs: number
  /** From the connection to the headers of the reply; 15 s. */
  headersMs: number
  /** Between two pieces of a body; 10 s. */
  idleMs: number
  /** For everything, redirects included; 30 s. */
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
