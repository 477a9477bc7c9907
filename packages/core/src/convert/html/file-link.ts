const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * A safe link target in a file that opens from a disk: an address with an explicit scheme, as browsers read it.
 * Undefined for all others: `//host/x`, `\\host\x` and `/x` are paths on the disk or network shares there, and opening
 * one may send the reader's name and password to the author.
 */
export function fileLink(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocols.has(protocol) ? href : undefined
}
