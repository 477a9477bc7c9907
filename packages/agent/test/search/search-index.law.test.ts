import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { countWord, createEntry } from '../../src/search/index-entry.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import { createSnippet, findMatches } from '../../src/search/snippet.ts'
import { queryWords, splitWords } from '../../src/search/split-words.ts'

const anyWord = fc.constantFrom(
  'alpha',
  'alphabet',
  'beta',
  'β',
  'Straße',
  'café',
  '検索',
  '全文検索',
  'สวัสดี',
  'x1',
  '한국어',
)
const anyText = fc.oneof(
  fc.array(anyWord, { maxLength: 12 }).map(words => words.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
)
const anyTexts = fc.dictionary(fc.constantFrom('a.md', 'b.md', 'c/d.md', 'ü.md'), anyText)

function indexOf(texts: Record<string, string>): SearchIndex {
  const index = new SearchIndex()
  for (const [path, text] of Object.entries(texts)) index.set({ path, stamp: '1', title: '', text })
  return index
}

test('every word of a text finds the text, alone and with every other word of it', () => {
  fc.assert(
    fc.property(anyTexts, texts => {
      const index = indexOf(texts)
      for (const [path, text] of Object.entries(texts)) {
        const slices = [...splitWords(text)].map(({ start, end }) => text.slice(start, end))
        for (const query of slices.length === 0 ? [] : [...slices, slices.join(' '), text]) {
          const { hits, hasAll } = index.search({ query })
          expect(hits.map(hit => hit.path)).toContain(path)
          expect(hasAll).toBe(true)
        }
      }
    }),
    { numRuns: shareOf(500) },
  )
})

test('an index that grew, changed and shrank is the index of the texts that are left', () => {
  fc.assert(
    fc.property(anyTexts, anyTexts, anyText, (before, after, query) => {
      const index = indexOf(before)
      for (const path of Object.keys(before)) if (!(path in after)) index.delete(path)
      for (const [path, text] of Object.entries(after)) index.set({ path, stamp: '2', title: '', text })
      const fresh = indexOf(after)
      expect(index.search({ query })).toEqual(fresh.search({ query }))
      expect([index.count, index.size]).toEqual([fresh.count, fresh.size])
    }),
    { numRuns: shareOf(500) },
  )
})

test('the entry of a text counts its words as a reading of the text does', () => {
  fc.assert(
    fc.property(anyText, anyText, (text, query) => {
      const entry = createEntry({ path: '', stamp: '', title: '', text })
      const all = [...splitWords(text)].map(({ word }) => word)
      for (const word of [...queryWords(text, 32), ...queryWords(query, 32)]) {
        const exact = all.filter(one => one === word).length
        const longer = all.filter(one => one !== word && one.startsWith(word)).length
        expect(countWord(entry, word)).toEqual({ exact, longer })
      }
    }),
    { numRuns: shareOf(500) },
  )
})

test('a snippet is one line of the text, and its marks are the words of the query', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.integer({ min: 10, max: 80 }), (text, query, width) => {
      const words = queryWords(query, 32)
      const matches = findMatches(text, words)
      const snippet = createSnippet(text, matches, width)
      expect(snippet.text).not.toMatch(/[\n\r\t]/)
      if (text.isWellFormed()) expect(snippet.text.isWellFormed()).toBe(true)
      if (matches.wordCount > 0) expect(snippet.marks.length).toBeGreaterThan(0)
      let last = 0
      for (const [start, end] of snippet.marks) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(findMatches(snippet.text.slice(start, end), words).wordCount).toBeGreaterThan(0)
        last = end
      }
      expect(last).toBeLessThanOrEqual(snippet.text.length)
    }),
    { numRuns: shareOf(1000) },
  )
})
