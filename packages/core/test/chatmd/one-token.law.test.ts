import { checkChatMd, parseChatMd } from '@argot/core/chatmd'
import { expect, test } from 'vitest'
import { deletions, goodDocuments } from './one-token.ts'

const documents = goodDocuments()

/** A RAW block that itself holds `RAW|` and a message, without its end. */
const exceptions = new Set(['reading/raw-hides-everything.chatmd |RAW'])

test('there are documents to damage', () => {
  expect(documents.length).toBeGreaterThan(40)
  expect(documents.flatMap(({ source }) => deletions(source)).length).toBeGreaterThan(500)
})

test.each(documents)(
  '$name: one lost token is at most two diagnostics, and hides no later element',
  ({ name, source }) => {
    for (const { at, text } of deletions(source)) {
      const damaged = source.slice(0, at) + source.slice(at + text.length)
      const where = `${name} without \`${text}\` at ${source.slice(0, at).split('\n').length}`
      const codes = checkChatMd(damaged).map(({ code }) => code)
      if (!exceptions.has(`${name} ${text}`))
        expect(codes.length, `${where}: ${codes.join(' ')}`).toBeLessThanOrEqual(2)
      if (types(damaged).join() !== types(source).join()) expect(codes, where).not.toEqual([])
      const after = laterElements(source, at)
      expect(laterElements(damaged, at - 1).slice(-after.length || Number.POSITIVE_INFINITY), where).toEqual(after)
    }
  },
)

function types(source: string): string[] {
  return parseChatMd(source).document.entries.map(({ type }) => type)
}

/** The elements at the top that begin after a place, as they are written. */
function laterElements(source: string, place: number): string[] {
  return parseChatMd(source)
    .document.tree.children.filter(({ type, start }) => type === 'element' && start > place)
    .map(({ start, end }) => source.slice(start, end))
}
