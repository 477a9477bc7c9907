const safe = /^(?:https?|mailto|tel):/i

/**
 * An address that is safe to link to: relative, http, https, mailto or tel. Undefined for others, like `javascript:`.
 */
export function safeUrl(url: string): string | undefined {
  // Browsers skip control characters and spaces inside a scheme's name, so they are removed before the check.
  const plain = url.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\ufeff]/g, '')
  if (/^[a-z][a-z\d+.-]*:/i.test(plain)) return safe.test(plain) ? url.trim() : undefined
  return plain.includes(':') && !/^[/?#.]/.test(plain) && /^[^/?#]*:/.test(plain) ? undefined : url.trim()
}
