/** Replaces a secret: the name of the variable that holds it, or its kind. */
export function redactionMark(name: string): string {
  return `[redacted: ${name}]`
}
