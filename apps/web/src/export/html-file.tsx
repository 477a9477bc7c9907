import { Markdown } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { ExportedConversation } from './exported-conversation.tsx'
import { fileLink, leadingAttributes } from './file-link.ts'
import { fileStyle, fileStyleHash } from './file-style.ts'

/** Nothing is loaded, nothing runs, and only our own style counts, whatever is in the conversation. */
const policy = `default-src 'none'; style-src '${fileStyleHash}'; img-src data:; base-uri 'none'; form-action 'none'`

/**
 * A conversation as one file that opens from a disk: no script, no request. Calls are closed and open by a click; all that
 * was said is text in it, never markup.
 */
export async function htmlFile(title: string, messages: readonly ChatMessage[]): Promise<string> {
  await markdownIsLoaded()
  const body = draw(<ExportedConversation title={title} messages={messages} />)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${fileStyle}</style>
</head>
<body>
${body.innerHTML}
</body>
</html>
`
}

function escaped(text: string): string {
  const element = document.createElement('p')
  element.textContent = text
  return element.innerHTML
}

/** What React makes of it, without what needs a script. */
function draw(node: ReactNode): HTMLElement {
  const host = document.createElement('div')
  const root = createRoot(host)
  flushSync(() => root.render(node))
  const copy = host.cloneNode(true) as HTMLElement
  root.unmount()
  for (const picture of copy.querySelectorAll('button > img')) picture.parentElement!.replaceWith(picture)
  for (const element of copy.querySelectorAll('button, dialog, script, style, link')) element.remove()
  for (const image of copy.querySelectorAll('img')) {
    if (!image.src.startsWith('data:image/')) image.replaceWith(image.alt)
  }
  for (const element of copy.querySelectorAll('*')) {
    for (const name of leadingAttributes) if (name !== 'src' || element.tagName !== 'IMG') element.removeAttribute(name)
  }
  for (const link of copy.querySelectorAll('[href]')) {
    const address = fileLink(link.getAttribute('href')!)
    if (address === undefined) link.removeAttribute('href')
    else link.setAttribute('href', address)
  }
  for (const element of copy.querySelectorAll<HTMLElement>('[style]')) {
    const { textAlign } = element.style
    element.removeAttribute('style')
    if (textAlign !== '') element.setAttribute('align', textAlign)
  }
  return copy
}

/** Markdown is loaded when it is first needed; a file is written once it is there. */
async function markdownIsLoaded(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    const probe = document.createElement('div')
    const root = createRoot(probe)
    flushSync(() => root.render(<Markdown text="*a*" />))
    const isThere = probe.querySelector('em') !== null
    root.unmount()
    if (isThere) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
