import { describe, expect, test } from 'vitest'
import { findComparisons } from './guards/find-comparisons.ts'
import { findStrings } from './guards/find-strings.ts'
import { isSource, readWorkspace } from './guards/workspace.ts'

/** The files that may say a word besides the one that decides by it, and why. */
interface Rule {
  word: string
  /** The constant that holds the word. */
  constant: string
  /** The one file that decides by it. */
  home: string
  others: Readonly<Record<string, string>>
}

const parks: Rule = {
  word: 'tool-calls',
  constant: 'parkReason',
  home: 'packages/core/src/stream/parking.ts',
  others: {
    'packages/core/src/stream/chunk.ts': 'lists every finish reason',
    'packages/core/src/ai-sdk/reply/text-reply.ts': "writes the AI SDK's word for a reply that makes calls",
    'packages/agent/src/loop/call-model.ts': 'what a model means that was cut off at a call',
    'packages/agent/src/model/scripted-language.ts': 'a model that says it',
    'packages/agent/src/transcript/watched-run.ts': 'lists the reasons with which a step may end well',
    'packages/agent/src/testing/scripted-chunks.ts': 'the chunks of scripted runs',
  },
}

const asks: Rule = {
  word: 'ask_user',
  constant: 'questionTool',
  home: 'packages/core/src/message/waits-for.ts',
  others: {},
}

/** The source files that mention one of the words; only these are parsed. */
const sources = readWorkspace().flatMap(({ files }) =>
  [...files].filter(([path, text]) => isSource(path) && /tool-calls|parkReason|ask_user/.test(text)),
)

describe.each([parks, asks])('$word', ({ word, home, others }) => {
  test('the word is in one file, and in those that are listed', () => {
    const mentions = sources.filter(([path, text]) => findStrings(path, text).includes(word)).map(([path]) => path)
    const reason = `Use the functions of ${home}.`
    expect(mentions.sort(), reason).toEqual([home, ...Object.keys(others)].sort())
  })
})

test('whether a run has ended or is parked is decided in one file', () => {
  const places = sources
    .filter(([path]) => path !== parks.home)
    .flatMap(([path, text]) => findComparisons(path, text, parks.word, [parks.constant]).map(line => `${path}:${line}`))
  expect(places, `Use \`toEnding\` of ${parks.home}.`).toEqual([])
  const home = sources.find(([path]) => path === parks.home)!
  expect(findComparisons(...home, parks.word, [parks.constant])).toHaveLength(1)
})

test.each([
  "const parked = chunk.finishReason === 'tool-calls'",
  "const ended = 'tool-calls' != reason",
  'const parked = reason === `tool-calls`',
  "const parked = reason === ('tool-calls' as FinishReason)",
  'const parked = reason !== parkReason',
  "switch (reason) { case 'tool-calls': break }",
  "const how = { 'tool-calls': 'parked' }",
  "const how = endings['tool-calls']",
  "const parked = ['tool-calls', 'x'].includes(reason)",
  "const parked = reasons.has('tool-calls')",
  "const parked = Object.is(reason, 'tool-calls')",
])('a decision is found in %j', text => {
  expect(findComparisons('a.ts', text, 'tool-calls', ['parkReason'])).toEqual([1])
})

test.each([
  "type Reason = 'stop' | 'tool-calls'",
  "const reasons = ['stop', 'tool-calls']",
  "const end = { type: 'finish', finishReason: 'tool-calls' }",
  "const reason = finish?.reason ?? 'tool-calls'",
  'const end = { finishReason: parkReason, parkReason }',
  "// reason === 'tool-calls'",
])('no decision is found in %j', text => {
  expect(findComparisons('a.ts', text, 'tool-calls', ['parkReason'])).toEqual([])
})

const scrollOwner = 'packages/react/src/box/log/log-scroll.ts'
const scrollWrite = /\bscrollTop\s*(?:[-+*/]?=(?!=)|\+\+|--)|\bscroll(?:To|By|IntoView|IntoViewIfNeeded|ToIndex)\s*\(/

/** A dialog over the log scrolls its own content. */
const ownScrollers = ['packages/react/src/box/changes/review-changes.tsx']

test('only one module of React writes the scroll position', () => {
  const writers = readWorkspace()
    .flatMap(({ files }) => [...files])
    .filter(([path, text]) => path.startsWith('packages/react/src/') && scrollWrite.test(text))
    .map(([path]) => path)
    .filter(path => !ownScrollers.includes(path))
  expect(writers, `Use \`LogScroll\` of ${scrollOwner}.`).toEqual([scrollOwner])
})

test.each([
  'log.scrollTop = 0',
  'log.scrollTop += by',
  'row.scrollIntoView({ block: "nearest" })',
  'log.scrollTo(0, 1)',
  'list.scrollToIndex(3)',
])('a write is found in %j', text => {
  expect(scrollWrite.test(text)).toBe(true)
})

test.each(['const top = log.scrollTop', 'if (log.scrollTop === top) return', 'scrollTop <= 1'])(
  'no write is found in %j',
  text => {
    expect(scrollWrite.test(text)).toBe(false)
  },
)
