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
  const read = await readDocumentText(path)
  if (!read.ok) return { errors: [{ ...read.problem, severity: 'error', file: path }] }
  const { document, diagnostics } = parseChatMd(read.text, { file: path })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return { errors, text: read.text }
  const records = (await readSidecarRecords(path, { env }))(document.tree)
  const { messages } = await expand(document, { resolver: localOnly(createResolver({ cwd })), records })
  const feedback = await readSidecarFeedback(path, { env })
  return { messages: messages.map(one => withFeedback(one, feedback.get(one.message.id))) }
}

/** Adds feedback the same way as the server. */
function withFeedback(
  one: ExpandedMessages[number],
  feedback: { value: string } | undefined,
): ExpandedMessages[number] {
  if (feedback === undefined || one.message.role !== 'assistant') return one
  return { ...one, message: { ...one.message, metadata: { ...one.message.metadata, feedback } } }
}
