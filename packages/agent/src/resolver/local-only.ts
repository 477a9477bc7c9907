import type { Resolver } from '@argot/core/chatmd'

/** Reads local files only. Anything on the network is treated as existing and empty. */
export function localOnly(resolver: Resolver): Resolver {
  return {
    async resolve(request) {
      if (request.local) return resolver.resolve(request)
      if (request.kind === 'img') return { ok: true, url: request.src, mediaType: 'image/*', file: request.src }
      return { ok: true, text: '', file: request.src }
    },
  }
}
