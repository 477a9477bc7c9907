export function describeSummary(replaces: number): string {
  return `Turns 1–${replaces} are summarised for the model; the document keeps them.`
}
