import type { Message } from '@argot/core'

/** The answer as written, in Markdown: without commentary, reasoning and calls, unless there is nothing else. */
export function answerText({ parts }: Pick<Message, 'parts'>): string {
  const texts = parts.flatMap(part => (part.type === 'text' && part.phase !== 'remainder' ? [part] : []))
  const final = texts.filter(({ phase }) => phase !== 'commentary')
  return (final.length > 0 ? final : texts)
    .map(({ text }) => text.trim())
    .filter(text => text !== '')
    .join('\n\n')
}
