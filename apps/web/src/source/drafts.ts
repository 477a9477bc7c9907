/** An unsaved text, and the version of the document that it started from. */
export interface Draft {
  text: string
  version: string
}

const prefix = 'argot draft '
const drafts = new Map<string, Draft>()

/** Even from before a reload. */
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

/** Undefined deletes the draft. */
export function keepDraft(document: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(document)
  else drafts.set(document, draft)
  try {
    if (draft === undefined) sessionStorage.removeItem(prefix + document)
    else sessionStorage.setItem(prefix + document, JSON.stringify(draft))
  } catch {
    // No storage left: the draft lasts as long as the page.
  }
}
