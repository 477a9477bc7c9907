import { basename, dirname } from 'node:path'
import { folderStore } from '@argot/agent'
import { matchDocument, readRecords } from '@argot/agent/internal'
import type { Message } from '@argot/core'
import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'

/** The messages of a document as the page shows them: with its sidecar, and without instructions. */
export async function readConversation(
  file: string,
  text: string,
  { resolver, env }: { resolver: Resolver; env: Record<string, string | undefined> },
): Promise<Message[]> {
  const { document } = parseChatMd(text, { file })
  const store = folderStore(dirname(file), { env })
  const records = matchDocument(document.tree, await readRecords(store, basename(file)), false)
  const { messages } = await expand(document, { resolver, records })
  return messages.filter(({ sent }) => sent).map(({ message }) => message)
}
