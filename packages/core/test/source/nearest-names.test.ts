import { nearestNames } from '@argot/core/stream/internal'
import { describe, expect, test } from 'vitest'
import { isKnownAttribute, nearestAttribute, nearestTag } from '../../src/chatmd/vocabulary.ts'

describe('nearestNames', () => {
  test.each([
    ['a letter too few', 'structred', ['structured', 'plain'], ['structured']],
    ['two letters in the wrong order', 'dney', ['allow', 'ask', 'deny'], ['deny']],
    ['another case and other separators', 'tool-syntax', ['toolSyntax', 'model'], ['toolSyntax']],
    ['only the beginning', 'reasoning', ['reasoning_effort', 'model'], ['reasoning_effort']],
    ['the beginning of several', 'read', ['read_file', 'read_dir'], []],
    ['several that are near, the best first', 'cat', ['cart', 'car', 'cats', 'dog', 'hat'], ['car', 'cart', 'cats']],
    ['nothing like it', 'zzz', ['model', 'api'], []],
    ['one letter', 'x', ['y', 'xy'], []],
    ['nothing', '', ['a', 'b'], []],
    ['a name without end', 'x'.repeat(100_000), ['model', 'x'.repeat(10)], []],
  ])('finds what is meant by %s', (_, wanted, names, near) => {
    expect(nearestNames(wanted, names)).toEqual(near)
  })

  test('gives as many as are wanted', () => {
    expect(nearestNames('cat', ['cart', 'car', 'cats'], 1)).toEqual(['car'])
  })

  test('is what attributes are looked up with: each is found with a letter dropped', () => {
    const names = ['model', 'max_tokens', 'temperature', 'reasoning_effort', 'max_steps', 'tool_syntax']
    for (const name of names) {
      for (let at = 0; at < name.length; at++) {
        const wrong = name.slice(0, at) + name.slice(at + 1)
        if (isKnownAttribute('config', wrong)) continue
        expect([wrong, nearestAttribute('config', wrong)]).toEqual([wrong, name])
        expect([wrong, nearestNames(wrong, names)[0]]).toEqual([wrong, name])
      }
    }
  })

  test('allows less in a tag, since most tags of a text are not mistakes', () => {
    expect(nearestTag('usr')).toBe('user')
    expect(nearestTag('usxx')).toBeUndefined()
    expect(nearestNames('usxx', ['user'])).toEqual(['user'])
  })
})
