export interface CallHeader {
  name?: string
  id?: string
  problem?: string
}

const fields: Readonly<Record<string, 'name' | 'id'>> = { name: 'name', toolName: 'name', id: 'id', toolCallId: 'id' }

/** Reads `NAME ID`, `name=NAME id=ID` in any order, or a mixture. A value may be in double quotes. */
export function readHeader(text: string): CallHeader {
  const header: CallHeader = {}
  const words: string[] = []
  for (const [, key, quoted, plain = ''] of text.matchAll(/(?:(\w+)=)?(?:"([^"]*)"|(\S+))/g)) {
    const value = quoted ?? plain
    if (key === undefined) {
      words.push(value)
      continue
    }
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field === undefined) return { ...header, problem: `\`${key.slice(0, 64)}=\` is neither \`name=\` nor \`id=\`` }
    if (header[field] !== undefined) return { ...header, problem: `\`${field}=\` is given twice` }
    if (value !== '') header[field] = value
  }
  for (const word of words) {
    if (word.includes('=')) return { ...header, problem: `\`${word.slice(0, 64)}\` has no value` }
    if (header.name === undefined) header.name = word
    else if (header.id === undefined) header.id = word
    else return { ...header, problem: `\`${word.slice(0, 64)}\` is one word too many` }
  }
  return header
}

/** The words of a header, and the body fields for whatever doesn't fit there. */
export function writeHeader(toolName: string, toolCallId: string): { words: string; fields: Record<string, string> } {
  const inHeader = { name: isWord(toolName), id: isWord(toolCallId) }
  const words: string[] = []
  if (inHeader.name) words.push(` ${toolName}`)
  if (inHeader.id) words.push(inHeader.name ? ` ${toolCallId}` : ` id=${toolCallId}`)
  return {
    words: words.join(''),
    fields: {
      ...(inHeader.name || toolName === '' ? {} : { toolName }),
      ...(inHeader.id || toolCallId === '' ? {} : { toolCallId }),
    },
  }
}

function isWord(text: string): boolean {
  return /^[^\s\]"'=`]+$/.test(text)
}
