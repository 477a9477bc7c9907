import { ArgotError, type JsonSchema, type Message } from '@argot/core'
import type { ExpandedMessage } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import { type AgentInput, agentInput } from '../../tool/source/agent-input.ts'
import type { RunOptions } from '../run-options.ts'
import { ParamValues } from './param-values.ts'
import { readDocument, refuseErrors } from './read-document.ts'

export interface DocumentCard {
  description?: string
  params: { name: string; isRequired: boolean }[]
  input: AgentInput
  outputSchema?: JsonSchema
  isAnswered: boolean
  /** Its last message is the user's, and reading it requires running nothing. */
  isPrompt: boolean
}

/** Runs, starts and asks nothing. Throws an `ArgotError` if the document couldn't run. */
export async function readDocumentCard(
  source: { file: string; text: string },
  options: RunOptions,
): Promise<DocumentCard> {
  const { expanded, answer, problems } = await readDocument(source, { ...options, offline: true, isCheck: true })
  refuseErrors(problems)
  const { config, messages } = expanded
  const params = config?.params ?? []
  const hasQuestion = messages.findLast(({ sent }) => sent)?.message.role === 'user'
  const input = agentInput(params, !hasQuestion)
  // A document that already contains a question needs no message.
  if (params.length === 0 && hasQuestion) input.inputSchema = { ...input.inputSchema, required: [] }
  return {
    ...defined({ description: config?.description, outputSchema: answer?.schema }),
    params: params.map(one => ({ name: one.name, isRequired: one.default === undefined })),
    input,
    isAnswered: messages.some(({ message }) => message.role === 'assistant'),
    isPrompt: hasQuestion && !messages.some(hasAgent),
  }
}

/** A document's messages with these parameter values. Runs nothing. */
export async function readPrompt(
  source: { file: string; text: string },
  params: Readonly<Record<string, string>>,
  options: RunOptions,
): Promise<Message[]> {
  const { expanded, problems } = await readDocument(source, { ...options, paramValues: new ParamValues({ params }) })
  refuseErrors(problems)
  const messages = expanded.messages.filter(({ sent }) => sent)
  if (messages.some(hasAgent)) {
    throw new ArgotError('RUN_BAD_DOCUMENT', 'The document has agents in its text, so only a run can read it.')
  }
  return messages.map(({ message }) => message)
}

function hasAgent({ pieces }: ExpandedMessage): boolean {
  return pieces.some(({ origin }) => origin.by === 'agent')
}
