import type { ToolDefinition } from '@argot/core'
import { auto, parse, type Syntax, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { seed, share } from '../../../../test/share-of-cases.ts'

/**
 * One token of markup deleted, doubled or swapped with the next gives the same call, an error, or text; never a call with
 * another input. Tokens of names and values are left alone: who changes those writes another call.
 */

const tools: ToolDefinition[] = [
  {
    name: 'f',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        count: { type: 'integer' },
        list: { type: 'array', items: { type: 'string' } },
        more: { type: 'object' },
      },
    },
  },
]
const input = { city: 'Dallas', count: 12, list: ['red', 'blue'], more: { zip: 7 } }
const call = { toolCallId: 'functions.f:0', toolName: 'f', input }
const words = new Set([
  'f',
  'city',
  'Dallas',
  'count',
  '12',
  'list',
  'red',
  'blue',
  'more',
  'zip',
  '7',
  'functions',
  '0',
  ' ',
])

/** Names and numbers are whole; the rest is single characters. */
const markup = /[A-Za-z_]+|\d+|[\s\S]/g

/** The text with each token of markup deleted, doubled, or swapped with the next one. */
function* mutations(source: string): Generator<string> {
  const tokens = source.match(markup) ?? []
  for (let i = 0; i < tokens.length; i++) {
    const [token = '', next = ''] = tokens.slice(i, i + 2)
    if (words.has(token) || token.trim() === '') continue
    const before = tokens.slice(0, i).join('')
    yield before + tokens.slice(i + 1).join('')
    yield before + token + tokens.slice(i).join('')
    if (next.trim() !== '' && !words.has(next)) yield before + next + token + tokens.slice(i + 2).join('')
  }
}

/** Where a bracket beside a word is as good a value as any: `>Dallas`, `Dallas<`. */
const withBrackets = new Set(['xml'])

/** The input with such a bracket more. */
function isBracketBeside(got: string): boolean {
  return got.replace(/(?<=")>|<(?=")/, '') === JSON.stringify(input)
}

function wrongCalls(syntax: Syntax, source: string, bracketsAreText: boolean): string[] {
  const wanted = JSON.stringify(input)
  const tried = [...mutations(source)].filter((_, index) => (index + seed) % (1 / share) === 0)
  return tried.flatMap(text =>
    parse(syntax, text, { tools }).flatMap(chunk => {
      if (chunk.type !== 'tool-input-available') return []
      const got = JSON.stringify(chunk.input)
      return got === wanted || (bracketsAreText && isBracketBeside(got))
        ? []
        : [`${JSON.stringify(text)} is read as ${got}`]
    }),
  )
}

// What YAML makes of other punctuation is other YAML, so the blocks are left out.
const names = syntaxes.names().filter(name => !['native', 'auto', 'callout', 'fence'].includes(name))

describe.each(names)('%s', name => {
  const syntax = syntaxes.get(name)
  const source = `So.\n${syntax.format(call, tools[0])}\n`

  test('a mistake in its markup makes no other call', () => {
    expect(wrongCalls(syntax, source, withBrackets.has(name))).toEqual([])
  })

  test('nor in `auto`', () => {
    expect(wrongCalls(auto, source, withBrackets.has(name))).toEqual([])
  })
})
