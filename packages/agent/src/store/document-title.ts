import { isRecord } from '@argot/core/stream/internal'
import { cutTitle } from './document-head.ts'
import type { Sidecar } from './store.ts'

/*
 * A title that a model made is a record of the sidecar, which no reader of elements knows: { "title": "…" }.
 */

/** The newest title in a sidecar that this user's runs wrote. */
export function readDocumentTitle({ records }: Pick<Sidecar, 'records'>): string | undefined {
  const record = records.findLast(
    ({ value, isSigned }) => isSigned && isRecord(value) && typeof value.title === 'string',
  )
  const title = record === undefined ? undefined : cleanTitle((record.value as { title: string }).title)
  return title === '' ? undefined : title
}

export function titleRecord(title: string): { title: string } {
  return { title: cleanTitle(title) }
}

/** One short line without anything that a terminal or a page could obey or hide. */
export function cleanTitle(text: string): string {
  const line = text.trim().split(/[\n\r\u2028\u2029]/, 1)[0]!
  const plain = line.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, '').replace(/\s+/g, ' ')
  return cutTitle(plain.replace(/^[\s"'`*#_“„«]+|[\s"'`*_”“»]+$/gu, '')).trim()
}
