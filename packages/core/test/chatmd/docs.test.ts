import { readFileSync } from 'node:fs'
import { checkChatMd, formatChatMd } from '@argot/core/chatmd'
import { describe, expect, test } from 'vitest'
import { tagNames } from '../../src/chatmd/reader/tag.ts'
import { errorCodes } from '../../src/source/error.ts'
import { meaning } from './meaning.ts'

function docs(name: string): string {
  return readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')
}

describe('docs/chatmd.md', () => {
  const examples = [...docs('chatmd.md').matchAll(/^```chatmd(?: error=(\w+)| file=\S+)?\n(.*?)^```$/gms)].map(
    ([, code, source]) => ({ code, source: source! }),
  )

  test.each(examples)('example $#', async ({ code, source }) => {
    const found = checkChatMd(source)
    const errors = found.filter(one => one.severity === 'error').map(one => one.code)
    expect(errors).toEqual(code === undefined ? [] : [code])
    if (code === undefined) {
      expect(found.filter(one => one.code !== 'CHATMD_CALL_WITHOUT_RESPONSE')).toEqual([])
      expect(await meaning(formatChatMd(source))).toBe(await meaning(source))
    }
  })

  test('has examples of every element', () => {
    const all = examples.map(one => one.source).join('\n')
    const missing = tagNames.filter(name => !all.includes(`<${name}`))
    expect(missing).toEqual(['developer', 'img', 'import'])
  })
})

describe('docs/errors.md', () => {
  const rows = new Map(
    docs('errors.md')
      .split('\n')
      .filter(line => line.startsWith('| `CHATMD_'))
      .map(line => {
        const [, code, text, cure] = line.split(/(?<!\\)\|/).map(cell => cell.trim()) as [
          string,
          string,
          string,
          string,
        ]
        return [code.replaceAll('`', ''), { text, cure }] as const
      }),
  )

  test('has a row for every code, and no other', () => {
    expect([...rows.keys()].sort()).toEqual(errorCodes.filter(code => code.startsWith('CHATMD_')).sort())
  })

  test.each([...rows])('%s has a meaning, a cure, and an example that shows it', (code, { text, cure }) => {
    expect(cure).toMatch(/\.$/)
    const example = /Example: (`+)(.*)\1$/.exec(text)?.[2]?.replaceAll('\\|', '|')
    if (example === undefined) {
      expect(text).toMatch(/\.$/)
      return
    }
    const found = checkChatMd(example).find(one => one.code === code)
    expect(found?.severity).toBe(text.startsWith('Error') ? 'error' : 'warning')
  })
})
