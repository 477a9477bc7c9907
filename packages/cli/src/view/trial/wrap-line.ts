import { measureWidth } from '../../io/width.ts'

/** Wraps text between words into lines narrower than this. All but the first start with the indent. */
export function wrapLine(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(one => one !== '')) {
    const last = lines.at(-1)
    if (last !== undefined && measureWidth(last) + 1 + measureWidth(word) < columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(lines.length === 0 ? word : indent + word)
  }
  return lines
}
