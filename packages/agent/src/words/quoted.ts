/** A name from a document as it is in a message: in backticks, on one line, not too long. */
export function quoted(name: string): string {
  const line = name.replace(/[\u0000-\u001f\u007f`]/g, '\ufffd')
  return `\`${line.length > 200 ? `${line.slice(0, 200)}…` : line}\``
}
