import type { Lookup } from '../web/checked-lookup.ts'
import type { ResolverLimits } from '../web/limits.ts'

/** What the resolver of documents may read, and how. */
export interface ResolverOptions {
  /** The folder of the document that is run; files in it may be read. Needed for documents without a file of their own. */
  directory?: string
  /** The process directory: files in it may be read, unless it is the root of the file system. `process.cwd()` by default. */
  cwd?: string
  /** More folders whose files may be read (`--allow-path DIR`), relative to `cwd`. */
  allowPaths?: readonly string[]
  /** Addresses that may be connected to although they are not public: all, or addresses and ranges like `10.0.0.0/8`. */
  allowPrivateAddresses?: boolean | readonly string[]
  /** Addresses are checked and not asked: what they lead to counts as there, and empty. */
  offline?: boolean
  limits?: Partial<ResolverLimits>
  /** Looks up names; the system's resolver by default. The answers are checked all the same. */
  lookup?: Lookup
  userAgent?: string
}
