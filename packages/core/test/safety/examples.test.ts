import type { Chunk, ToolDefinition } from '@argot/core'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { harmlessTexts, htmlPairs, htmlPlaces } from '../../src/testing/hidden-law.ts'
import { joinDeltas } from '../../src/testing/join-deltas.ts'

/** Calls that a reader of the text does not see as calls: in HTML comments, `<pre>` and indented code. None of them runs. */

const tools: ToolDefinition[] = ['example', 'real'].map(name => ({
  name,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))

const all = syntaxes
  .names()
  .map(name => syntaxes.get(name))
  .filter(({ kind }) => kind !== 'native')

function read(syntax: Syntax, pieces: readonly string[], known: readonly ToolDefinition[] = tools) {
  const parser = syntax.parser({ tools: known })
  const chunks = [...pieces.flatMap(piece => parser.push(piece)), ...parser.end()]
  return { chunks, codes: (parser.diagnostics ?? []).map(({ code }) => code) }
}

function names(chunks: readonly Chunk[]): string[] {
  return chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.toolName] : []))
}

function textOf(chunks: readonly Chunk[]): string {
  return chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
}

/** A share of these cases, others for each syntax; all of them with `LAWS=full`. */
function some<Value>(cases: readonly Value[], turn: number): Value[] {
  return cases.filter((_, index) => share === 1 || index % Math.round(1 / share) === turn % Math.round(1 / share))
}

describe.each(all.map((syntax, turn) => [syntax.name, syntax, turn] as const))('%s', (_, syntax, turn) => {
  const example = syntax.format({ toolCallId: 'id1', toolName: 'example', input: { path: 'one' } })
  const real = syntax.format({ toolCallId: 'id2', toolName: 'real', input: { path: 'two' } })

  test('runs nothing in comments and elements, in any place', () => {
    for (const [place, before] of htmlPlaces.entries()) {
      for (const [open, close] of some(htmlPairs, turn + place)) {
        const text = `${before}${open}${example}${close}`
        const { chunks } = read(syntax, [text])
        expect(
          chunks.filter(({ type }) => type.startsWith('tool-')),
          text,
        ).toEqual([])
        expect(textOf(chunks)).toBe(text)
        const followed = `${text}\n\n${real}\n`
        expect(names(read(syntax, [followed]).chunks), followed).toEqual(['real'])
      }
    }
  })

  test('says what a comment or an element hides that is never closed', () => {
    for (const [place, before] of htmlPlaces.entries()) {
      for (const [open] of some(htmlPairs, turn + place)) {
        for (const calls of ['', `${real}\n\n`]) {
          for (const known of [tools, []]) {
            const text = `${calls}${before}${open}${example}\nand so on`
            const { chunks, codes } = read(syntax, [text], known)
            expect(names(chunks), text).toEqual(calls === '' ? [] : ['real'])
            expect(codes, text).toContain('SYNTAX_EXAMPLE')
          }
        }
      }
    }
  })

  test('runs nothing in indented code', () => {
    for (const indent of ['    ', '\t', '     ', '  \t', '\t\t']) {
      const code = example.replaceAll(/^(?=.)/gm, indent)
      for (const before of ['a\n\n', 'a\n \t\n', 'a\r\n\r\n', `a\n\n${indent}b\n`, '# A\n\n', `${real}\n\n`, '\n']) {
        const text = `${before}${code}\n`
        expect(names(read(syntax, [text]).chunks), text).not.toContain('example')
        expect(names(read(syntax, [`${text}\n${real}\n`]).chunks), text).toContain('real')
      }
    }
  })

  test('runs nothing after a token, a tag or a comment in indented code', () => {
    const tags = ['<think>x</think>', '<think>\nx\n</think>', '<!-- x -->', '<!--\nx\n-->', '<pre>\nx</pre>', '`x`']
    for (const token of [...(syntax.silent ?? []), '<|im_end|>', '</think>', ...tags]) {
      for (const between of ['', ' ', 'word ']) {
        for (const indent of ['    ', '\t']) {
          const text = `a\n\n${`${token}${between}${example}`.replaceAll(/^(?=.)/gm, indent)}\n`
          expect(names(read(syntax, [text]).chunks), text).toEqual([])
          expect(names(read(syntax, [...text]).chunks), text).toEqual([])
        }
      }
    }
  })

  test('reads calls after what hides nothing', () => {
    for (const before of harmlessTexts) {
      const text = `${before}\n\n${real}\n`
      expect(names(read(syntax, [text]).chunks), text).toEqual(['real'])
    }
  })

  test('gives the same however the marks are cut', () => {
    const pairs = htmlPairs.filter((_pair, index) => index % 4 === 0)
    for (const [open, close] of some([...pairs, ['a\n\n    ', ''] as const], turn)) {
      const text = `a \`b\` c ${open}${example}${close}\n\n${real}\n`
      const whole = joinDeltas(read(syntax, [text]).chunks)
      const compare = (pieces: string[]) => expect(joinDeltas(read(syntax, pieces).chunks), text).toEqual(whole)
      compare(text.split(''))
      for (let at = 1; at < text.length; at++) compare([text.slice(0, at), text.slice(at)])
    }
  })

  test('reads very many marks that are never closed', () => {
    const marks = ['<!--', '<!-- x\n', '<pre', '<pre>', '<pre ', '\n    <', '> a\n', '<!---->', '<pre></pre>']
    for (const mark of some(marks, turn)) {
      const text = mark.repeat(5000)
      expect(textOf(read(syntax, [text]).chunks)).toBe(text)
    }
    const { codes } = read(syntax, [`a ${'<!--\n'.repeat(5000)}${example}`])
    expect(codes).toContain('SYNTAX_EXAMPLE')
  })

  test('keeps marks in a value as they are', () => {
    const path = 'a <!-- b <pre> c\n\n    d --> </pre>'
    const call = syntax.format({ toolCallId: 'id1', toolName: 'real', input: { path } })
    const { chunks } = read(syntax, [`Now:\n${call}\n\n${real}\n`])
    const inputs = chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.input] : []))
    expect(inputs).toEqual([{ path }, { path: 'two' }])
  })
})

test('a call may be indented at the start of the text, and after a line that is not blank', () => {
  const { format } = syntaxes.get('xml')
  const call = format({ toolCallId: 'id', toolName: 'real', input: { path: 'two' } })
  for (const before of ['    ', '\t', 'Now:\n    ', '<think>x</think>\n    '])
    expect(names(read(syntaxes.get('xml'), [before + call]).chunks), before).toEqual(['real'])
})

test('a tool that is called like an element is called in the dialect that names tags after tools', () => {
  const pre: ToolDefinition[] = [
    { name: 'pre', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
  ]
  const { chunks } = read(syntaxes.get('cline'), ['<pre>\n<a>x</a>\n</pre>'], pre)
  expect(names(chunks)).toEqual(['pre'])
})

/** Times are CPU times, the best of three, and the bounds are far from what was measured on either side. */
test.each(['> a\n', 'a\n', 'a: b\n', '> [!tool\n'])(
  'a block of nothing but %j costs no more than other texts',
  line => {
    const lines = line.repeat(50_000 / line.length)
    const seconds = (syntax: string, head: string) =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const start = process.cpuUsage()
          read(syntaxes.get(syntax), [head + lines])
          const { user, system } = process.cpuUsage(start)
          return user + system
        }),
      )
    const usual = seconds('hermes', '<tool_call>{"name": "real", "arguments": {"path": "') + 5000
    expect(seconds('callout', '> [!tool real id]\n> input:\n') / usual).toBeLessThan(10)
    expect(seconds('fence', '```tool real id\ninput:\n') / usual).toBeLessThan(10)
  },
)
