/** As whole words and numbers, ignoring case, white space, emphasis, typographic quotes and thousands separators. */
export function containsText(text: string, expected: string): boolean {
  const [all, one] = [plain(text), plain(expected)]
  for (let at = all.indexOf(one); at >= 0; at = all.indexOf(one, at + 1)) {
    if (isEdge(all, at) && isEdge(all, at + one.length)) return true
  }
  return false
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[*_`]/g, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/(?<=\d)[, ](?=\d{3}(?!\d))/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** True if no word or number spans this position. "17.5" has no such position inside. */
function isEdge(text: string, at: number): boolean {
  const around = text.slice(Math.max(0, at - 2), at + 2)
  const middle = Math.min(2, at)
  if (/\d\.\d/.test(around)) return false
  return !/[\p{L}\p{N}]{2}/u.test(around.slice(middle - 1, middle + 1)) || middle === 0
}
