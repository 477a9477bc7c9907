const safe = /^(?:https?|mailto|tel):/i

/** An address that a link may lead to: relative ones and http, https, mailto, tel. Undefined for `javascript:` and its kin. */
export function safeUrl(url: string): string | undefined {
  // Browsers skip control characters and blanks inside the name of a scheme, so they are taken out before it is judged.
  const plain = url.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, '')
  if (/^[a-z][a-z\d+.-]*:/i.test(plain)) return safe.test(plain) ? url.trim() : undefined
  return plain.includes(':') && !/^[/?#.]/.test(plain) && /^[^/?#]*:/.test(plain) ? undefined : url.trim()
}
