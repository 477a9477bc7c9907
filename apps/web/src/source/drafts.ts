/** A text that somebody has changed and not saved, and the version of the document that they changed. */
export interface Draft {
  text: string
  version: string
}

const prefix = 'argot draft '
const drafts = new Map<string, Draft>()

/** The draft of a document, also from before the page was loaded again. */
export function getDraft(document: string): Draft | undefined {
  const cached = drafts.get(document)
  if (cached !== undefined) return cached
  try {
    const stored = JSON.parse(sessionStorage.getItem(prefix + document) ?? 'null') as Partial<Draft> | null
    const { text, version } = stored ?? {}
    return typeof text === 'string' && typeof version === 'string' ? { text, version } : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft; undefined forgets it. */
export function keepDraft(document: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(document)
  else drafts.set(document, draft)
  try {
    if (draft === undefined) sessionStorage.removeItem(prefix + document)
    else sessionStorage.setItem(prefix + document, JSON.stringify(draft))
  } catch {
    // Without room in the browser it lives as long as the page.
  }
}
