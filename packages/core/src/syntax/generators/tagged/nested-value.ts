import { MAX_DEPTH } from '../../limits.ts'
import { valueShape } from '../../value/input-shape.ts'
import { getItem, getItems, getMember, getTypes, type RootedSchema } from '../../value/schema.ts'
import { typeText } from '../../value/typed-value.ts'
import { fillMarker, type Marker } from '../marker.ts'
import { hasExtraBracket } from './garbled-tags.ts'

type NestedNode = string | { members: [name: string, node: NestedNode][] }

export type NestedValue = { value: unknown } | { text: string } | { problem: string }

/**
 * The value of a parameter whose members and items may have tags, with its leaves typed by the schema:
 *
 *     <tags><item>red</item><item>blue</item></tags>
 *
 * A value without tags is text, and typed like any other.
 */
export function nestedValue(
  text: string,
  [open = '']: readonly Marker[],
  schema: RootedSchema | undefined,
): NestedValue {
  const [before = '', after = ''] = fillMarker(open, { name: '\0' }).split('\0')
  const tag = new RegExp(`${escapeRegExp(before).replace(/<$/, '\\s*<(/?)')}([\\w.-]+)${escapeRegExp(after)}`, 'g')
  const empty = before === '<' ? undefined : emptyValue(text, schema)
  if (empty !== undefined) return empty
  if (!text.includes(before.replace(/<$/, '') || before)) return { text }
  if (before === '<' && !text.trimStart().startsWith(before)) return { text }
  const root: NestedNode = { members: [] }
  const stack: { name: string; node: { members: [string, NestedNode][] }; start: number }[] = [
    { name: '', node: root, start: 0 },
  ]
  // The prefix of every tag isn't part of a text.
  const prefix = before.replace(/<$/, '')
  if (prefix !== '' && text.replaceAll(tag, '').includes(prefix)) return { problem: `has a broken tag \`${prefix}\`` }
  for (const match of text.matchAll(tag)) {
    const [whole, slash, name = ''] = match
    const top = stack.at(-1)
    if (top === undefined) break
    if (slash === '') {
      if (stack.length > MAX_DEPTH) return { problem: `nests deeper than ${MAX_DEPTH} levels` }
      stack.push({ name, node: { members: [] }, start: match.index + whole.length })
      continue
    }
    if (top.name !== name || stack.length === 1)
      return { problem: `has \`${whole}\` where another tag should be closed` }
    stack.pop()
    const openTag = `<${name}${after}`
    if (text.startsWith(openTag, top.start) && !text.slice(top.start, match.index).includes(`</${openTag.slice(1)}`))
      return { problem: `has the tag \`${name}\` twice` }
    const leaf = top.node.members.length === 0 ? text.slice(top.start, match.index) : top.node
    if (typeof leaf === 'string' && hasExtraBracket(leaf, { start: true, end: true }, whole))
      return { problem: `has one bracket too many in \`${name}\`` }
    stack.at(-1)?.node.members.push([name, leaf])
  }
  if (stack.length > 1) return { problem: `has a tag \`${stack.at(-1)?.name}\` that is not closed` }
  return { value: toValue(root, schema) }
}

/** A list or object without members has no tags either. In a list of texts, it may be an empty text. */
function emptyValue(text: string, schema: RootedSchema | undefined): NestedValue | undefined {
  const types = schema === undefined || text.trim() !== '' ? undefined : getTypes(schema)
  if (types === undefined || types.has('string')) return undefined
  const items = schema && getItems(schema)
  if (types.has('array')) return items === undefined || getTypes(items).has('string') ? undefined : { value: [] }
  return types.has('object') ? { value: {} } : undefined
}

function toValue(node: NestedNode, schema: RootedSchema | undefined): unknown {
  if (typeof node === 'string') {
    const result = schema === undefined ? undefined : typeText(node, valueShape(schema))
    return result !== undefined && 'value' in result ? result.value : node
  }
  if (isList(node.members, schema)) {
    return node.members.map(([, item], index) => toValue(item, schema && getItem(schema, index)))
  }
  const record = Object.create(null) as Record<string, unknown>
  for (const [name, member] of node.members) {
    const value = toValue(member, schema && getMember(schema, name))
    const before = record[name]
    if (before === undefined) record[name] = value
    else if (Array.isArray(before)) before.push(value)
    else record[name] = [before, value]
  }
  return record
}

/** True for items: all tags have the same name, and the schema expects a list, or allows one and the name is `item`. */
function isList(members: readonly [name: string, node: NestedNode][], schema: RootedSchema | undefined): boolean {
  const [first = ''] = members[0] ?? []
  if (!members.every(([name]) => name === first)) return false
  const types = schema === undefined ? undefined : getTypes(schema)
  const isOnlyArray = types?.has('array') === true && !types.has('object')
  return isOnlyArray || (first === 'item' && types?.has('array') !== false)
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
