import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { findProvider } from '../../model/providers.ts'
import type { Found } from './place-of.ts'

/**
 * Says once that the model's provider signs reasoning, and that the signature of some reasoning here is gone: it is in the
 * sidecar, which doesn't come along when a document is copied by itself.
 */
export function findMissingSignature({ messages }: ExpandedDocument, model: string | undefined): Found[] {
  if (model === undefined || findProvider(model)?.signsReasoning !== true) return []
  for (const { message, elements, sent } of messages) {
    const isGone = message.parts.some(
      part => part.type === 'reasoning' && part.state !== 'aborted' && !hasForeign(part.providerMetadata),
    )
    const element = elements.find(({ entry }) => entry.type === 'reasoning')
    if (!sent || !isGone || element === undefined) continue
    const { start, openEnd: end } = element.entry.node
    const text =
      'The provider signed its reasoning, and the signature is not here. The reasoning is left out of what it is sent.'
    const cure = 'Nothing need be done. Copy `.chatmd/sidecars` with the document to keep signatures.'
    return [
      { code: 'CHATMD_NO_SIGNATURE', severity: 'info', message: text, cure, file: element.file, at: { start, end } },
    ]
  }
  return []
}

function hasForeign(metadata: object | undefined): boolean {
  return Object.keys(metadata ?? {}).some(provider => provider !== 'argot')
}
