import type { ResolveResult, Resolver } from 'argot/chatmd'

/** Reads each source once, however often a document is expanded: a page is not fetched twice for one run. */
export function rememberSources(resolver: Resolver): Resolver {
  const known = new Map<string, Promise<ResolveResult>>()
  return {
    resolve(request) {
      const { signal: _, ...rest } = request
      const key = JSON.stringify(rest)
      let result = known.get(key)
      if (result === undefined) {
        result = resolver.resolve(request)
        known.set(key, result)
      }
      return result
    },
  }
}
