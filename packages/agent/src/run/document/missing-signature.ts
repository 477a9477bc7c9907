import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { findProvider } from '../../model/providers.ts'
import type { RangeProblem } from './range-problem.ts'

/**
 * One warning if the model's provider signs reasoning and the signature of some reasoning here is missing: signatures
 * are in the sidecar, which doesn't come along when a document is copied alone.
 */
export function findMissingSignature({ messages }: ExpandedDocument, model: string | undefined): RangeProblem[] {
  if (model === undefined || findProvider(model)?.signsReasoning !== true) return []
  for (const { message, elements, sent } of messages) {
    const isUnsigned = message.parts.some(
      part => part.type === 'reasoning' && part.state !== 'aborted' && !hasProviderMetadata(part.providerMetadata),
    )
    const element = elements.find(({ entry }) => entry.type === 'reasoning')
    if (!sent || !isUnsigned || element === undefined) continue
    const { start, openEnd: end } = element.entry.node
    const text =
      'The provider signed its reasoning, but the signature is missing. Argot leaves the reasoning out of the prompt.'
    const cure = "You don't need to do anything. To keep signatures, copy `.chatmd/sidecars` with the document."
    return [
      { code: 'CHATMD_NO_SIGNATURE', severity: 'info', message: text, cure, file: element.file, at: { start, end } },
    ]
  }
  return []
}

function hasProviderMetadata(metadata: object | undefined): boolean {
  return Object.keys(metadata ?? {}).some(provider => provider !== 'argot')
}
