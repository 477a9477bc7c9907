import { copyText } from '@argot/react'
import { words } from '../locale/words.ts'

/** `href` may be relative. Rejects if the browser does not allow copying. */
export async function copyLink(href: string): Promise<void> {
  if (await copyText(new URL(href, location.href).href)) return
  throw new Error(words().moments.notCopied)
}
