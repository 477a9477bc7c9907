import { localOnly, readDocumentText, readSidecarFeedback, readSidecarRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Diagnostic } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'

type ExpandedMessages = Awaited<ReturnType<typeof expand>>['messages']

export type ReadMessages = { messages: ExpandedMessages } | { errors: Diagnostic[]; text?: string }

/** Reads a document with all of its sidecar data. Only reads local files, and runs nothing. `path` is absolute. */
export async function readMessages(
  path: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<ReadMessages> {
  const content = await readDocumentText(path)
  if (!content.ok) return { errors: [{ ...content.problem, severity: 'error', file: path }] }
  const { document, diagnostics } = parseChatMd(content.text, { file: path })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return { errors, text: content.text }
  const records = (await readSidecarRecords(path, { env }))(document.tree)
  const { messages } = await expand(document, { resolver: localOnly(createResolver({ cwd })), records })
  const feedback = await readSidecarFeedback(path, { env })
  return { messages: messages.map(expanded => withFeedback(expanded, feedback.get(expanded.message.id))) }
}

/** Adds feedback the same way as the server. */
function withFeedback(
  expanded: ExpandedMessages[number],
  feedback: { value: string } | undefined,
): ExpandedMessages[number] {
  if (feedback === undefined || expanded.message.role !== 'assistant') return expanded
  return { ...expanded, message: { ...expanded.message, metadata: { ...expanded.message.metadata, feedback } } }
}
