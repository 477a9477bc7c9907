import type { McpService } from './mcp-service.ts'

/** Changes within this time are reported together. */
const TOGETHER_MS = 100

/** Calls `onChange` after documents that may be tools are changed, added or removed. Ends with the signal. */
export async function watchFolder(
  { folder, notice }: McpService,
  signal: AbortSignal,
  onChange: () => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const report = (): void => {
    timer = undefined
    onChange()
  }
  try {
    for await (const path of folder.store.documents.watch(signal)) {
      if (!path.startsWith('chats/')) timer ??= setTimeout(report, TOGETHER_MS)
    }
  } catch (error) {
    if (!signal.aborted) notice(`Can't watch the folder for changes: ${error instanceof Error ? error.message : error}`)
  } finally {
    clearTimeout(timer)
  }
}
