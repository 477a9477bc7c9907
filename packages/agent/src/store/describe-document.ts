import type { Usage } from '@argot/core/ai-sdk/internal'
import { defined, isRecord } from '@argot/core/stream/internal'
import { readDocumentHead } from './document-head.ts'
import { chooseTitle } from './document-title.ts'
import { addUsage, readUsage } from './logged-spending.ts'
import type { DatedDocument } from './newest-documents.ts'
import type { RunEntry, Sidecar, Store } from './store.ts'

export interface DocumentSummary {
  path: string
  /** May contain any character. */
  title: string
  /** When it last changed, in milliseconds. */
  at: number
  state: 'idle' | Exclude<RunEntry['state'], 'ended'>
  /** The newest unfinished run. */
  run?: string
  /** The model that answered last, or the one that the document names. */
  model?: string
  /** The total usage of all finished runs. */
  usage: Usage & { cost?: number }
}

/** Reads the document's beginning, its sidecar and the ends of its logs. Skips what can't be read. */
export async function describeDocument(store: Store, { path, at }: DatedDocument): Promise<DocumentSummary> {
  const [head, sidecar, runs] = await Promise.all([
    readDocumentHead(store.documents, path),
    store.sidecars.read(path).catch(() => ({ records: [] })),
    store.logs.list({ path }).catch(() => []),
  ])
  const open = newestOpenRun(runs)
  const { model = head.model, usage } = sumRuns(sidecar)
  return {
    path,
    title: chooseTitle(head.title, sidecar),
    at,
    state: open === undefined || open.state === 'ended' ? 'idle' : open.state,
    ...defined({ run: open?.run, model }),
    usage,
  }
}

export function newestOpenRun(runs: readonly RunEntry[]): RunEntry | undefined {
  return runs.filter(({ state }) => state !== 'ended').sort((a, b) => (a.run < b.run ? 1 : -1))[0]
}

/** Each message ends with a record of its usage. Only signed records are used: anyone may have written the others. */
function sumRuns({ records }: Pick<Sidecar, 'records'>): { model?: string; usage: DocumentSummary['usage'] } {
  const ends = new Map<string, Record<string, unknown>>()
  for (const { value, isSigned } of records) {
    if (!isSigned || !isRecord(value) || !Array.isArray(value.elements)) continue
    for (const element of value.elements) {
      const metadata = isRecord(element) && isRecord(element.argot) ? element.argot.metadata : undefined
      if (isRecord(metadata)) ends.set(String(value.message ?? value.run ?? ends.size), metadata)
    }
  }
  let usage: DocumentSummary['usage'] = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  let cost: number | undefined
  let model: string | undefined
  for (const end of ends.values()) {
    usage = addUsage(usage, readUsage(end.usage))
    const runCost = isRecord(end.usage) ? end.usage.cost : undefined
    if (typeof runCost === 'number' && Number.isFinite(runCost) && runCost >= 0) cost = (cost ?? 0) + runCost
    if (typeof end.model === 'string') model = end.model
  }
  return { ...defined({ model }), usage: { ...usage, ...defined({ cost }) } }
}
