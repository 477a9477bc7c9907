/** A name from a document for messages: in backticks, on one line, shortened. */
export function quoted(name: string): string {
  const line = name.replace(/[\u0000-\u001f\u007f`]/g, '\ufffd')
  return `\`${line.length > 200 ? `${line.slice(0, 200)}…` : line}\``
}
