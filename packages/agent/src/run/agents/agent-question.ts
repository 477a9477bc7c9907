import type { AgentRequest, ExpandedDocument } from '@argot/core/chatmd/internal'
import type { DocumentPlan } from '../document/plan-document.ts'

/** Everything that determines an agent's answer: its expanded prompt, its input, model, syntax, settings and tools. */
export function agentQuestion(
  { talk: { model, syntax, settings }, answer }: Pick<DocumentPlan, 'talk' | 'answer'>,
  { messages, tools }: ExpandedDocument,
  input: AgentRequest['input'],
): unknown {
  return [
    'agent',
    model.name,
    syntax.name,
    settings,
    tools.map(({ node: _, file: __, ...tool }) => tool),
    messages.filter(({ sent }) => sent).map(({ message: { role, parts } }) => [role, parts.map(withoutIds)]),
    input,
    ...(answer === undefined ? [] : [answer.schema]),
  ]
}

function withoutIds(part: ExpandedDocument['messages'][number]['message']['parts'][number]): unknown {
  if (part.type === 'text' && part.literal === true) return ['literal', part.text]
  if (part.type === 'text' || part.type === 'reasoning') return [part.type, part.text]
  return part
}
