/** The tags that models put around their reasoning. */
const tags = ['<think>', '<thinking>', '<reasoning>']

/** Whether `text` is such a tag, may still become one, or is none. */
export function reasoningTag(text: string): 'open' | 'part' | 'none' {
  if (tags.includes(text)) return 'open'
  return tags.some(tag => tag.startsWith(text)) ? 'part' : 'none'
}
