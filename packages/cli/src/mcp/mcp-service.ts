import type { RunOptions } from '@argot/agent'
import type { CallDesk } from './call-desk.ts'
import type { ServedFolder } from './served-folder.ts'

/** What every connection of a server shares. */
export interface McpService {
  folder: ServedFolder
  desk: CallDesk
  /** What every run is given. */
  run: RunOptions
  /** The client answers approvals. */
  approvesCalls: boolean
  notice: (text: string) => void
  version: string
}
