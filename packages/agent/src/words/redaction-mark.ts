/** What is shown instead of a secret: the name of the variable that holds it, or what it looks like. */
export function redactionMark(name: string): string {
  return `[redacted: ${name}]`
}
