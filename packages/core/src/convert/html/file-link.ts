const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Where a link of a file that opens from a disk may lead: an address that says its own scheme, as a browser reads it.
 * Undefined for all others: `//host/x`, `\\host\x` and `/x` are places on the disk or shares of the network there, and
 * opening one may send the name and the password of the reader to whoever wrote it.
 */
export function fileLink(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocols.has(protocol) ? href : undefined
}
