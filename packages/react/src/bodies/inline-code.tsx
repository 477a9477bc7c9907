import type { ReactNode } from 'react'

/** A sentence with code between backticks. An unpaired backtick stays. */
export function InlineCode({ text }: { text: string }): ReactNode {
  return text.split(/`([^`\n]+)`/).map((piece, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
    return index % 2 === 1 ? <code key={index}>{piece}</code> : piece
  })
}
