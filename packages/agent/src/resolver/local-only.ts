import type { Resolver } from '@argot/core/chatmd'

/** Reads files of this machine only: what is on the network counts as there, and empty. */
export function localOnly(resolver: Resolver): Resolver {
  return {
    async resolve(request) {
      if (request.local) return resolver.resolve(request)
      if (request.kind === 'img') return { ok: true, url: request.src, mediaType: 'image/*', file: request.src }
      return { ok: true, text: '', file: request.src }
    },
  }
}
