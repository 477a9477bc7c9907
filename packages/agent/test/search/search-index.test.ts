import { expect, test } from 'vitest'
import { SearchIndex } from '../../src/search/search-index.ts'
import { createSnippet, findMatches } from '../../src/search/snippet.ts'
import { queryWords, splitWords } from '../../src/search/split-words.ts'

const words = (text: string): string[] => [...splitWords(text)].map(({ word }) => word)

test.each([
  ['Upper CASE', ['upper', 'case']],
  ['café CAFÉ cafe', ['cafe', 'cafe', 'cafe']],
  ['read_file(path)', ['read', 'file', 'path']],
  ['ｆｕｌｌ ﬁ', ['full', 'fi']],
  ['全文検索', ['全文', '文検', '検索', '索']],
  ['Node で検索する', ['node', 'で検', '検索', '索す', 'する', 'る']],
  ['한국어 검색', ['한국어', '검색']],
  ['हिन्दी', ['हिन्दी']],
  ['👍 — … !', []],
  ['a'.repeat(1000), ['a'.repeat(64)]],
])('the words of %j', (text, expected) => {
  expect(words(text)).toEqual(expected)
})

test('a query for several characters does not ask for the lone last one', () => {
  expect(queryWords('全文検索', 32)).toEqual(['全文', '文検', '検索'])
  expect(queryWords('索', 32)).toEqual(['索'])
})

function index(texts: Record<string, string>): SearchIndex {
  const made = new SearchIndex()
  for (const [path, text] of Object.entries(texts)) made.set({ path, stamp: '', title: '', text })
  return made
}

test('texts with all words come alone; rare words, the word itself and short texts count for more', () => {
  const filler = 'lorem ipsum dolor sit amet '.repeat(20)
  const all = index({
    'both.md': 'sandbox on linux',
    'one.md': 'sandbox sandbox sandbox',
    'long.md': `${filler} sandbox on linux`,
    'longer-word.md': 'sandboxing on linux',
  })
  expect(all.search({ query: 'linux Sandbox' }).hits.map(({ path }) => path)).toEqual([
    'both.md',
    'longer-word.md',
    'long.md',
  ])
  expect(all.search({ query: 'ipsum linux' }).hits.map(({ path }) => path)).toEqual(['long.md'])
})

test('texts with some of the words are there if none has all, those with more of them first', () => {
  const { hits, hasAll } = index({ 'a.md': 'one', 'b.md': 'one two', 'c.md': 'four' }).search({
    query: 'one two three',
  })
  expect([hits.map(({ path }) => path), hasAll]).toEqual([['b.md', 'a.md'], false])
})

test('part of a text without spaces finds it, and other characters do not', () => {
  const all = index({ 'ja.md': '日本語の全文検索エンジン', 'zh.md': '中文搜索' })
  const paths = (query: string): string[] => all.search({ query }).hits.map(({ path }) => path)
  expect([paths('検索'), paths('搜索'), paths('索'), paths('文全')]).toEqual([
    ['ja.md'],
    ['zh.md'],
    ['zh.md', 'ja.md'],
    [],
  ])
})

test('a snippet stays short, however long a word is', () => {
  for (const word of ['a'.repeat(1_000_000), `検${'\u0301'.repeat(1_000_000)}索`, '検索'.repeat(500_000)]) {
    const { text, marks } = createSnippet(word, findMatches(word, queryWords(word, 32)), 40)
    expect([text.length < 500, marks.length > 0]).toEqual([true, true])
  }
})

test('a snippet shows the place with the most words', () => {
  const text = `start alpha ${'x '.repeat(200)} here alpha beta end ${'y '.repeat(200)}`
  const { text: line, marks } = createSnippet(text, findMatches(text, ['alpha', 'beta']), 40)
  expect(marks.map(([from, to]) => line.slice(from, to))).toEqual(['alpha', 'beta'])
  expect(line).toMatch(/^….*here alpha beta end.*…$/)
})
