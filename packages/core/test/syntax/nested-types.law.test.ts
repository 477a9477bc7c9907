import type { JsonSchema, ToolDefinition } from '@argot/core'
import { callout, fence, parse, syntaxes } from '@argot/core/syntax'
import { coerceArguments } from '@argot/core/syntax/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { getTypes } from '../../src/syntax/value/schema.ts'

/** A word inside a nested value gets the same type in every syntax, however its schema is put together. */

type Tree = { word: string } | { items: Tree[] } | { members: Record<string, Tree> }
interface Case {
  schema: JsonSchema
  tree: Tree
}

const $defs: Record<string, JsonSchema> = {
  text: { type: 'string' },
  count: { type: 'integer' },
  maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
}
const names = ['a', 'b', 'item'] as const
const type = fc.constantFrom('string', 'integer', 'number', 'boolean')
const word = fc.constantFrom('5', '-3', '2.5', 'true', 'null', 'abc')

const leafSchema: fc.Arbitrary<JsonSchema> = fc.oneof(
  type.map(one => ({ type: one })),
  type.map(one => ({ type: [one, 'null'] })),
  type.map(one => ({ type: one, nullable: true })),
  fc.constantFrom('text', 'count', 'maybe').map(one => ({ $ref: `#/$defs/${one}` })),
  fc.tuple(type, type).map(([one, other]) => ({ anyOf: [{ type: one }, { type: other }] })),
  type.map(one => ({ oneOf: [{ type: 'null' }, { type: one }] })),
  type.map(one => ({ allOf: [{ description: 'x' }, { type: one }] })),
)

/** Only tags have a way to write the text `null`. */
const leaf: fc.Arbitrary<Case> = fc.tuple(leafSchema, word).map(([schema, one]) => {
  const isNull = one === 'null' && !getTypes({ node: schema, root: { $defs } }).has('null')
  return { schema, tree: { word: isNull ? 'abc' : one } }
})

const wraps: readonly ((schema: JsonSchema) => JsonSchema)[] = [
  schema => schema,
  schema => ({ anyOf: [schema, { type: 'null' }] }),
  schema => ({ oneOf: [{ type: 'null' }, schema] }),
  schema => ({ allOf: [{ description: 'x' }, schema] }),
  schema => ({ anyOf: [{ type: 'null' }, { allOf: [schema] }] }),
  schema => ({ ...schema, nullable: true }),
]

function inner(content: fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  const object = fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
      fc.array(content, { minLength: 3, maxLength: 3 }),
    )
    .map(([keys, cases]): Case => {
      const pairs = keys.map((key, at) => [key, cases[at]!] as const)
      const properties = Object.fromEntries(pairs.map(([key, { schema }]) => [key, schema]))
      const members = Object.fromEntries(pairs.map(([key, { tree }]) => [key, tree]))
      return { schema: { type: 'object', properties }, tree: { members } }
    })
  const record = content.map(({ schema, tree }): Case => {
    return { schema: { type: 'object', additionalProperties: schema }, tree: { members: { a: tree } } }
  })
  const list = fc.tuple(content, fc.integer({ min: 1, max: 3 })).map(([{ schema, tree }, count]): Case => {
    return { schema: { type: 'array', items: schema }, tree: { items: Array.from({ length: count }, () => tree) } }
  })
  const pair = fc
    .tuple(content, content, fc.constantFrom('prefixItems', 'items'))
    .map(([one, other, keyword]): Case => {
      const schema = { type: 'array', [keyword]: [one.schema, other.schema] }
      return { schema, tree: { items: [one.tree, other.tree] } }
    })
  /** A choice between two objects with the same members. */
  const choice = fc.tuple(leaf, leafSchema).map(([{ schema, tree }, other]): Case => {
    const branches = [schema, other].map(a => ({ type: 'object', properties: { a }, additionalProperties: false }))
    return { schema: { anyOf: branches }, tree: { members: { a: tree } } }
  })
  return fc
    .tuple(fc.oneof(object, record, list, pair, choice), fc.constantFrom(...wraps))
    .map(([{ schema, tree }, wrap]) => ({ schema: wrap(schema), tree }))
}

const cases = inner(fc.oneof(leaf, leaf, inner(fc.oneof(leaf, inner(leaf)))))

function toYaml(tree: Tree): string {
  if ('word' in tree) return tree.word
  if ('items' in tree) return `[${tree.items.map(toYaml).join(', ')}]`
  return `{${Object.entries(tree.members)
    .map(([key, member]) => `${key}: ${toYaml(member)}`)
    .join(', ')}}`
}

const token = ']<]minimax[>['
function toTags(tree: Tree, mark: string): string {
  if ('word' in tree) return tree.word
  const pairs = 'items' in tree ? tree.items.map(item => ['item', item] as const) : Object.entries(tree.members)
  return pairs.map(([name, member]) => `${mark}<${name}>${toTags(member, mark)}${mark}</${name}>`).join('')
}

function toJson(tree: Tree): string {
  if ('word' in tree) return tree.word === 'abc' ? '"abc"' : tree.word
  if ('items' in tree) return `[${tree.items.map(toJson).join(',')}]`
  return `{${Object.entries(tree.members)
    .map(([key, member]) => `"${key}":${toJson(member)}`)
    .join(',')}}`
}

const written: Record<string, (tree: Tree, tool: ToolDefinition) => unknown> = {
  callout: (tree, tool) => read(callout, `> [!tool f id]\n> input:\n>   v: ${toYaml(tree)}\n`, tool),
  fence: (tree, tool) => read(fence, `\`\`\`tool f id\ninput:\n  v: ${toYaml(tree)}\n\`\`\`\n`, tool),
  'minimax-m3': (tree, tool) => {
    const value = `${token}<v>${toTags(tree, token)}${token}</v>`
    const text = `${token}<tool_call>\n${token}<invoke name="f">${value}${token}</invoke>\n${token}</tool_call>`
    return read(syntaxes.get('minimax-m3'), text, tool)
  },
  cline: (tree, tool) => read(syntaxes.get('cline'), `<f>\n<v>${toTags(tree, '')}</v>\n</f>\n`, tool),
  native: (tree, tool) => {
    const result = coerceArguments(tool, `{"v":${toJson(tree)}}`)
    return 'input' in result ? result.input : 'error'
  },
}

function read(syntax: Parameters<typeof parse>[0], text: string, tool: ToolDefinition): unknown {
  const chunk = parse(syntax, text, { tools: [tool] }).find(one => one.type === 'tool-input-available')
  return chunk === undefined ? 'error' : (chunk as { input: unknown }).input
}

test('law: a nested word has the same type in every syntax', () => {
  let valid = 0
  const runs = shareOf(2000)
  fc.assert(
    fc.property(cases, ({ schema, tree }) => {
      const tool = { name: 'f', inputSchema: { type: 'object', properties: { v: schema }, $defs } }
      const results = Object.entries(written).map(([name, write]) => [name, write(tree, tool)] as const)
      const [, expected] = results[0]!
      if (expected !== 'error') valid++
      expect(JSON.parse(JSON.stringify(results))).toEqual(results.map(([name]) => [name, plain(expected)]))
    }),
    { numRuns: runs },
  )
  expect(valid).toBeGreaterThan(runs / 4)
})

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
