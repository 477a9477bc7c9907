import { copyText } from '@argot/react'
import { words } from '../locale/words.ts'

/** Copies the full address of something on this page. Rejects if the browser does not allow it. */
export async function copyLink(href: string): Promise<void> {
  if (await copyText(new URL(href, location.href).href)) return
  throw new Error(words().moments.notCopied)
}
