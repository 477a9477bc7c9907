const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text that is nothing but text in an element and in a quoted attribute. NUL has no place in HTML. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"']/g, sign => entities[sign]!)
    .replaceAll('\0', '\ufffd')
}
