import { copyText } from '@argot/react'

/** Puts the whole address of something on this page on the clipboard. Rejects where the browser does not allow it. */
export async function copyLink(href: string): Promise<void> {
  if (await copyText(new URL(href, location.href).href)) return
  throw new Error('The browser does not allow copying. Open the call in the time machine, and copy its address.')
}
