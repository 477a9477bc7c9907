/** A text that somebody has changed and not saved, and the version of the document that they changed. */
export interface Draft {
  text: string
  version: string
}

const prefix = 'argot draft '
const kept = new Map<string, Draft>()

/** The draft of a document, also from before the page was loaded again. */
export function draftOf(document: string): Draft | undefined {
  const known = kept.get(document)
  if (known !== undefined) return known
  try {
    const found = JSON.parse(sessionStorage.getItem(prefix + document) ?? 'null') as Partial<Draft> | null
    const { text, version } = found ?? {}
    return typeof text === 'string' && typeof version === 'string' ? { text, version } : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft; undefined forgets it. */
export function keepDraft(document: string, draft: Draft | undefined): void {
  if (draft === undefined) kept.delete(document)
  else kept.set(document, draft)
  try {
    if (draft === undefined) sessionStorage.removeItem(prefix + document)
    else sessionStorage.setItem(prefix + document, JSON.stringify(draft))
  } catch {
    // Without room in the browser it lives as long as the page.
  }
}
