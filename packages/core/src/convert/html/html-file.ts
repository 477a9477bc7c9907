import type { Message } from '../../message/message.ts'
import { writeConversation } from './conversation-html.ts'
import { escapeHtml } from './escape-html.ts'
import { fileStyle, fileStyleHash } from './file-style.ts'
import type { ParseMarkdown } from './markdown-html.ts'

/** Nothing is loaded, nothing runs, and only our own style applies, whatever the conversation contains. */
const policy = `default-src 'none'; style-src '${fileStyleHash}'; img-src data:; base-uri 'none'; form-action 'none'`

/**
 * One file that opens from a disk: no script, no request. Calls are closed and open with a click. All content is text,
 * never markup.
 */
export function writeHtmlFile(title: string, messages: readonly Message[], parse: ParseMarkdown): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${fileStyle}</style>
</head>
<body>
${writeConversation(title, messages, parse)}
</body>
</html>
`
}
