import type { ResolverOptions } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { ResolveRequest, ResolveResult } from '@argot/core/chatmd'
import type { ResolveProblem } from '@argot/core/chatmd/internal'
import { expect } from 'vitest'

/** Asks a fresh resolver for one source, a local `doc` in the folder `cwd` unless said otherwise. */
export function ask(options: ResolverOptions, request: Partial<ResolveRequest>): Promise<ResolveResult> {
  return createResolver(options).resolve({
    kind: 'doc',
    src: '',
    local: true,
    html: 'keep',
    from: undefined,
    document: undefined,
    ...request,
  })
}

/** The text of a source that must be there. */
export function textOf(result: ResolveResult): string {
  expect(result).toMatchObject({ ok: true })
  return 'text' in result ? result.text : ''
}

/** The problem of a source that must be refused, in complete sentences. */
export function problemOf(result: ResolveResult): ResolveProblem {
  const sentence = expect.stringMatching(/^[A-Z`].+\.$/s)
  expect(result).toEqual({ ok: false, problem: { code: expect.any(String), message: sentence, cure: sentence } })
  return result.ok ? { code: 'STREAM_GAP', message: '' } : result.problem
}
