/** `name` is the variable that holds the secret, or the secret's kind. */
export function redactionMark(name: string): string {
  return `[redacted: ${name}]`
}
