import { writeHtmlFile } from '@argot/core/convert/internal'
import type { ChatMessage } from '@argot/react/types'
import { parser } from 'markdown-to-jsx/react'

/** A conversation as a page that needs no server: the same file that `argot convert --to html` writes. */
export function htmlFile(title: string, messages: readonly ChatMessage[]): string {
  return writeHtmlFile(title, messages, text => parser(text, { disableParsingRawHTML: true }))
}
