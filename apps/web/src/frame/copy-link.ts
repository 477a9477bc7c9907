import { copyText } from '@argot/react'
import { words } from '../locale/words.ts'

/** Puts the whole address of something on this page on the clipboard. Rejects where the browser does not allow it. */
export async function copyLink(href: string): Promise<void> {
  if (await copyText(new URL(href, location.href).href)) return
  throw new Error(words().moments.notCopied)
}
