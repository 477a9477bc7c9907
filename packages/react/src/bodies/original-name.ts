/**
 * The original of a name whose hidden characters were escaped, such as a description's subject. Box heads escape names
 * themselves, so pass them the original. An escape that was cut off is left out.
 */
export function originalName(visible: string): string
export function originalName(visible: string | undefined): string | undefined
export function originalName(visible: string | undefined): string | undefined {
  return visible
    ?.replace(/\\u(?:\{[\da-f]*)?…$/, '…')
    .replaceAll(/\\u\{([\da-f]{1,6})\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
}
