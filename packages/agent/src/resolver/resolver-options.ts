import type { Lookup } from '../web/checked-lookup.ts'
import type { ResolverLimits } from '../web/limits.ts'

export interface ResolverOptions {
  /** For documents without their own file: their folder, whose files may be read. `cwd` by default. */
  directory?: string
  /** The process directory: files in it may be read, unless it is the file system root. `process.cwd()` by default. */
  cwd?: string
  /** More folders whose files may be read (`--allow-path DIR`), relative to `cwd`. */
  allowPaths?: readonly string[]
  /** Non-public addresses that may be connected to: all, or addresses and ranges like `10.0.0.0/8`. */
  allowPrivateAddresses?: boolean | readonly string[]
  /** Checks addresses but doesn't fetch them: their content is treated as existing and empty. */
  offline?: boolean
  limits?: Partial<ResolverLimits>
  /** Looks up host names; the system's resolver by default. Its answers are still checked. */
  lookup?: Lookup
  userAgent?: string
}
