import type { RunOptions } from '@argot/agent'
import type { CallDesk } from './call-desk.ts'
import type { ServedFolder } from './served-folder.ts'

export interface McpService {
  folder: ServedFolder
  desk: CallDesk
  run: RunOptions
  approvesCalls: boolean
  notice: (text: string) => void
  version: string
}
