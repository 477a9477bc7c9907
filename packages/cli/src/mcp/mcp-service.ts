import type { RunOptions } from '@argot/agent'
import type { ServedCalls } from './served-calls.ts'
import type { ServedFolder } from './served-folder.ts'

export interface McpService {
  folder: ServedFolder
  calls: ServedCalls
  run: RunOptions
  approvesCalls: boolean
  notice: (text: string) => void
  version: string
}
