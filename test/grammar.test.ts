import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseChatMd, parseTree } from '@argot/core/chatmd'
import type { TreeNode } from '@argot/core/chatmd/internal'
import { createHighlighterCore } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import { beforeAll, describe, expect, test } from 'vitest'
import onigurumaModule from 'vscode-oniguruma'
import textmate, { type IGrammar } from 'vscode-textmate'
import { chatmdGrammar } from '../scripts/chatmd-grammar.ts'
import { root } from './guards/workspace.ts'

const file = join(root, 'editors/vscode/syntaxes/chatmd.tmLanguage.json')
const made = `${JSON.stringify(chatmdGrammar(), null, 2)}\n`

let grammar: IGrammar

beforeAll(async () => {
  if (process.env.UPDATE === '1') writeFileSync(file, made)
  const wasm = readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm'))
  await onigurumaModule.loadWASM(wasm)
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => new onigurumaModule.OnigScanner(patterns),
      createOnigString: text => new onigurumaModule.OnigString(text),
    }),
    loadGrammar: scope =>
      Promise.resolve(scope === 'text.chatmd' ? textmate.parseRawGrammar(readFileSync(file, 'utf8'), file) : null),
  })
  grammar = (await registry.loadGrammar('text.chatmd'))!
})

/** The scopes of each character; a line break has those of what is before it. */
function scopesOf(source: string): string[][] {
  const all: string[][] = []
  let stack = textmate.INITIAL
  for (const line of source.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack)
    stack = ruleStack
    for (const { startIndex, endIndex, scopes } of tokens) {
      for (let i = startIndex; i < Math.min(endIndex, line.length); i++) all.push(scopes)
    }
    all.push(tokens.at(-1)?.scopes ?? [])
  }
  return all
}

/** The scopes at the place that `▸` points to, without those of the elements around. */
function scopesAt(marked: string): string {
  const at = marked.indexOf('▸')
  return (scopesOf(marked.replace('▸', ''))[at] ?? [])
    .filter(scope => !/^(?:text|meta\.(?:element|content))\./.test(scope))
    .join(' ')
}

test('the grammar of the extension is the one that the vocabulary makes', () => {
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(made))
})

test('the extension names the grammar and its own files', () => {
  const folder = join(root, 'editors/vscode')
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    contributes: {
      languages: { id: string; extensions: string[]; configuration: string }[]
      grammars: { language: string; scopeName: string; path: string }[]
    }
  }
  const [language] = manifest.contributes.languages
  const [entry] = manifest.contributes.grammars
  expect(language?.extensions).toEqual(['.chatmd'])
  expect(entry?.language).toBe(language?.id)
  expect(entry?.scopeName).toBe(chatmdGrammar().scopeName)
  expect(join(folder, entry?.path ?? '')).toBe(file)
  expect(() => JSON.parse(readFileSync(join(folder, language?.configuration ?? ''), 'utf8'))).not.toThrow()
})

/** A stretch of a document, and how the grammar shows its first and last character. */
interface Stretch {
  start: number
  end: number
  shown: RegExp
}

const asTag = /(?:punctuation\.definition\.tag|entity\.name\.tag)\.chatmd/

/** What the reader of documents finds, in order: tags, RAW blocks, comments. The rest is text. */
function stretches(nodes: readonly TreeNode[]): Stretch[] {
  return nodes.flatMap((node): Stretch[] => {
    const { type, start, end } = node
    if (type === 'raw') return [{ start, end, shown: /keyword\.control\.raw/ }]
    if (type === 'comment') return [{ start, end, shown: /comment\.block/ }]
    if (type !== 'element') return []
    const { openEnd, closeStart, children } = node
    const tags = [
      { start, end: openEnd, shown: asTag },
      ...stretches(children),
      { start: closeStart, end, shown: asTag },
    ]
    return tags.filter(tag => tag.end > tag.start)
  })
}

/** A closing tag over two lines: a TextMate grammar sees one line at a time. */
const skipped = new Set(['fixtures/chatmd/reading/closing-tag-with-blanks.chatmd'])

function documents(folder: string): [string, string][] {
  const at = join(root, folder)
  return readdirSync(at)
    .filter(name => name.endsWith('.chatmd'))
    .map((name): [string, string] => [
      `${folder}/${name}`,
      readFileSync(join(at, name), 'utf8').replaceAll('\r\n', '\n'),
    ])
    .filter(([name]) => !skipped.has(name))
    .filter(([, source]) => !parseChatMd(source).diagnostics.some(({ severity }) => severity === 'error'))
}

describe.each(
  [
    'fixtures/chatmd/seed',
    'fixtures/chatmd/reading',
    'fixtures/chatmd/warnings',
    'fixtures/chatmd/expanding',
    'examples',
  ].flatMap(documents),
)('%s', (_, source) => {
  test('has its tags, RAW blocks and comments where the reader finds them', () => {
    const shown = scopesOf(source).map(scopes => scopes.join(' '))
    let at = 0
    const found = stretches(parseTree(source).children)
    for (const { start, end, shown: expected } of [
      ...found,
      { start: source.length, end: source.length, shown: asTag },
    ]) {
      for (; at < start; at++) {
        if (source[at] !== '\n')
          expect(shown[at], `text at ${at}`).not.toMatch(/entity\.name\.tag\.chatmd|control\.raw|comment/)
      }
      if (start === end) break
      expect(shown[start], source.slice(start, end)).toMatch(expected)
      expect(shown[end - 1], source.slice(start, end)).toMatch(expected)
      at = end
    }
  })
})

const said = (text: string) => `<assistant>\n${text}\n</assistant>\n`

test.each([
  [
    'the name of a tool in xml',
    said('<tool:▸read_file>\n<param:path>a</param:path>\n</tool:read_file>'),
    'meta.call.xml.chatmd entity.name.function.chatmd',
  ],
  [
    'a parameter in xml',
    said('<tool:read><param:▸path>a</param:path></tool:read>'),
    'meta.call.xml.chatmd variable.parameter.chatmd',
  ],
  [
    'a value in xml',
    said('<tool:read><param:path>▸a < b</param:path></tool:read>'),
    'meta.call.xml.chatmd string.unquoted.value.chatmd',
  ],
  [
    'another tag in a value',
    said('<tool:w><param:c>\n<▸param:path>x\n</param:c></tool:w>'),
    'meta.call.xml.chatmd string.unquoted.value.chatmd',
  ],
  [
    'a value in marked tags',
    said('<tool:w><param:c#1>▸</param:c></param:c#1></tool:w>'),
    'meta.call.xml.chatmd string.unquoted.value.chatmd',
  ],
  ['the end of a call in xml', said('<tool:w>\n</tool:▸w>'), 'meta.call.xml.chatmd entity.name.function.chatmd'],
  ['text behind a call in xml', said('<tool:w></tool:w> ▸then'), ''],
  ['text behind a tag that is only named', said('Use <tool:w>\n▸for that.'), ''],
  [
    'the name of a tool in caret',
    said('^^^▸read_file\npath: a\n^^^'),
    'meta.call.caret.chatmd entity.name.function.chatmd',
  ],
  ['a parameter in caret', said('^^^read\n▸path: a\n^^^'), 'meta.call.caret.chatmd variable.parameter.chatmd'],
  ['a value in caret', said('^^^read\npath: ▸a: b\n^^^'), 'meta.call.caret.chatmd string.unquoted.value.chatmd'],
  [
    'a fence within a block of caret',
    said('^^^w\nc ---\n▸^^^\n--- c\n^^^'),
    'meta.call.caret.chatmd string.unquoted.value.chatmd',
  ],
  [
    'the end of a block of caret',
    said('^^^w\nc ----\n--- c\n---- ▸c\n^^^'),
    'meta.call.caret.chatmd variable.parameter.chatmd',
  ],
  ['an item in caret', said('^^^w\np: [\n▸a.md\n]\n^^^'), 'meta.call.caret.chatmd string.unquoted.value.chatmd'],
  ['an item of a list in caret', said('^^^w\np:\n- ▸a.md\n^^^'), 'meta.call.caret.chatmd string.unquoted.value.chatmd'],
  ['a comment in a call in caret', said('^^^w\n▸<!-- c -->\np: a\n^^^'), 'meta.call.caret.chatmd comment.block.chatmd'],
  [
    'a comment behind a value in caret',
    said('^^^w\np: a ▸<!-- c -->\n^^^'),
    'meta.call.caret.chatmd comment.block.chatmd',
  ],
  [
    'a RAW block in a value in xml',
    said('<tool:w><param:c>▸RAW|</param:c>|RAW</param:c></tool:w>'),
    'meta.call.xml.chatmd string.unquoted.value.chatmd keyword.control.raw.chatmd',
  ],
  ['text behind a call in caret', said('^^^w\n^^^\n▸then'), ''],
  ['four carets', said('^^^^▸w\n^^^^'), ''],
  [
    'the name of a tool in a callout',
    said('> [!tool ▸search call_1]\n> input:\n>   q: a'),
    'meta.call.callout.chatmd entity.name.function.chatmd',
  ],
  ['the id in a callout', said('> [!tool search ▸call_1]'), 'meta.call.callout.chatmd constant.other.id.chatmd'],
  [
    'a field of a callout',
    said('> [!tool search]\n> ▸input:\n>   q: a'),
    'meta.call.callout.chatmd keyword.other.field.chatmd',
  ],
  [
    'a parameter in a callout',
    said('> [!tool search]\n> input:\n>   ▸q: a'),
    'meta.call.callout.chatmd entity.name.tag.yaml.chatmd',
  ],
  [
    'a number in a callout',
    said('> [!tool search]\n> input:\n>   q: ▸12'),
    'meta.call.callout.chatmd constant.numeric.yaml',
  ],
  ['a second callout', said('> [!tool a]\n> [!tool ▸b]'), 'meta.call.callout.chatmd entity.name.function.chatmd'],
  ['text behind a callout', said('> [!tool a]\n▸then'), ''],
  ['another callout', said('> [!▸toolbox a]'), 'markup.quote.chatmd'],
  [
    'the name of a tool in a fence',
    said('```tool ▸search c1\ninput: {}\n```'),
    'meta.call.fence.chatmd entity.name.function.chatmd',
  ],
  ['a fence of something else', said('```toolbox\n▸input: {}\n```'), 'markup.fenced_code.block.chatmd'],
  ['a call that is shown in a fence', said('```\n<tool:▸w></tool:w>\n```'), 'markup.fenced_code.block.chatmd'],
  ['a call that is shown in a longer fence', said('````\n```\n^^^▸w\n^^^\n````'), 'markup.fenced_code.block.chatmd'],
  ['a call in a code span', said('Use `<tool:▸w></tool:w>` for that.'), 'markup.inline.raw.chatmd'],
  ['a call in a list item', said('- <tool:▸w></tool:w>'), 'markup.list.chatmd'],
  ['a call in a quote', said('> <tool:▸w></tool:w>'), 'markup.quote.chatmd'],
  ['a call behind a backslash', said('\\<tool:▸w></tool:w>'), ''],
  [
    'a call in a message of the user',
    '<user>\n^^^▸w\n^^^\n</user>',
    'meta.call.caret.chatmd entity.name.function.chatmd',
  ],
  ['a call in reasoning', '<reasoning id="a">\n<tool:▸w></tool:w>\n</reasoning>', ''],
  ['a tag that a model quotes', said('Write <▸user> first.'), ''],
  [
    'a tag in a value',
    said('<tool:w><param:c></▸user></param:c></tool:w>'),
    'meta.call.xml.chatmd string.unquoted.value.chatmd',
  ],
  [
    'the closing tag behind an unclosed call',
    '<assistant>\n<tool:w>\n<param:c>\n</▸assistant>',
    'entity.name.tag.chatmd',
  ],
  ['the closing tag behind an unclosed block', '<assistant>\n^^^w\nc ---\n</▸assistant>', 'entity.name.tag.chatmd'],
  ['the closing tag within a fence', '<user>\n```\n</▸user>', 'entity.name.tag.chatmd'],
  ['an element behind one that is not closed', '<user>\nHello\n\n<▸assistant>\n</assistant>', 'entity.name.tag.chatmd'],
  ['a flag', '<config ▸show_tool_call/>', 'meta.tag.chatmd entity.other.attribute-name.chatmd'],
  ['a value with a tag in it', '<tool name="a" description="▸<user>"/>', 'meta.tag.chatmd string.quoted.double.chatmd'],
  [
    'an attribute behind a bare value',
    '<doc src=a/b.md ▸local/>',
    'meta.tag.chatmd entity.other.attribute-name.chatmd',
  ],
  [
    'an attribute behind blanks around =',
    '<doc src = "a" ▸local/>',
    'meta.tag.chatmd entity.other.attribute-name.chatmd',
  ],
  ['a value on a line of its own', '<doc src=\n"▸a" local/>', 'meta.tag.chatmd string.quoted.double.chatmd'],
  ['a place for tools', '<system>{{▸tools}}</system>', 'variable.other.place.chatmd'],
  ['text between elements', '<config/>\n▸Hello', 'invalid.illegal.text-at-top.chatmd'],
  ['a closing tag of nothing', '</▸user>', 'invalid.illegal.closing-tag.chatmd'],
  [
    'a key of a payload',
    '<tool_call>\nRAW|\n{"▸path": "a"}\n|RAW\n</tool_call>',
    'meta.embedded.raw.chatmd support.type.property-name.json.chatmd',
  ],
])('the grammar shows %s', (_, marked, expected) => {
  expect(scopesAt(marked)).toBe(expected)
})

test('shiki shows a document with this grammar and the engine of the browser', async () => {
  const colours = { name: 'plain', settings: [{ scope: 'entity.name.function', settings: { foreground: '#123456' } }] }
  const highlighter = await createHighlighterCore({
    themes: [colours],
    langs: [
      JSON.parse(made) as Parameters<typeof createHighlighterCore>[0] extends { langs?: (infer L)[] } ? L : never,
    ],
    engine: createJavaScriptRegexEngine(),
  })
  const lines = highlighter.codeToTokensBase(
    said('> [!tool search c1]\n> input:\n>   q: a\n\n^^^read\n^^^\n<tool:list></tool:list>'),
    {
      lang: 'chatmd',
      theme: 'plain',
    },
  )
  const named = lines.flat().filter(({ color }) => color?.toLowerCase() === '#123456')
  expect(named.map(({ content }) => content)).toEqual(['search', 'read', 'list', 'list'])
})
