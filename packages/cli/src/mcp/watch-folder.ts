import type { McpService } from './mcp-service.ts'

/** Calls `changed` when there is a new document, and when one that may be a tool changes. Ends with the signal. */
export async function watchFolder(
  { folder, notice }: McpService,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  try {
    for await (const path of folder.store.documents.watch(signal)) if (!path.startsWith('chats/')) changed()
  } catch (error) {
    if (!signal.aborted) notice(`Changes of the folder are not seen: ${error instanceof Error ? error.message : error}`)
  }
}
