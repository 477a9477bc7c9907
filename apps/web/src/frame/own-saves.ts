/** The documents that this page has saved and whose change event has not arrived yet. */
const saved = new Set<string>()

/** Marks a document's next change on the disk as this page's own. The returned function unmarks it. */
export function noteSave(document: string): () => void {
  saved.add(document)
  return () => saved.delete(document)
}

/** Whether a change was this page's own; true once per save. */
export function takeSave(document: string): boolean {
  return saved.delete(document)
}
