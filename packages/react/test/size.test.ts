import { expect, test } from 'vitest'
import { findSizeProblems, findStyleProblems, measureReact, sizeLimits } from '../../../scripts/react-sizes.ts'

test('a tool card is at most 15 kB; bodies, approvals, diffs, highlighting and Markdown come later', async () => {
  const sizes = await measureReact(sizeLimits.card.source)
  expect(findSizeProblems('a tool card', sizes, sizeLimits.card.atOnce)).toEqual([])
  expect([...sizes.later.keys()]).toEqual(expect.arrayContaining(['call-body', 'approval-card', 'ask-user']))
})

test('the chat box, with the fold and the virtual list, is at most 63 kB', async () => {
  const sizes = await measureReact(sizeLimits.chat.source)
  expect(findSizeProblems('the chat box', sizes, sizeLimits.chat.atOnce)).toEqual([])
})

test('the style sheet of a closed card is at most 4 kB, and all of them are as promised', () => {
  expect(sizeLimits.styles['card.css']).toBe(4000)
  expect(findStyleProblems()).toEqual([])
})

test('what is larger than promised is said', () => {
  const later = new Map([
    ['markdown-body', 40_000],
    ['highlighted', 1],
  ])
  expect(findSizeProblems('a card', { atOnce: 20_000, later }, 15_000)).toEqual([
    'a card: 20000 bytes, not 15000.',
    'markdown-body: 40000 bytes, not 36000.',
    'diff-body is not a chunk of its own.',
  ])
})
