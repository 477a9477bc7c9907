/** The documents that this page has saved, until what shows them has heard of it. */
const saved = new Set<string>()

/** Says that the next change of a document on the disk is this page's own. The returned function takes it back. */
export function noteSave(document: string): () => void {
  saved.add(document)
  return () => saved.delete(document)
}

/** Whether a change was this page's own, once. */
export function takeSave(document: string): boolean {
  return saved.delete(document)
}
