/**
 * The name behind one whose hidden characters are written out, such as the subject of a description. Heads of boxes write
 * them out themselves: a name that is given to one must not be written out before. An escape that was cut off is left out.
 */
export function originalName(visible: string): string
export function originalName(visible: string | undefined): string | undefined
export function originalName(visible: string | undefined): string | undefined {
  return visible
    ?.replace(/\\u(?:\{[\da-f]*)?…$/, '…')
    .replaceAll(/\\u\{([\da-f]{1,6})\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
}
