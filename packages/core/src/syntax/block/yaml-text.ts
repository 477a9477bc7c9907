import {
  Composer,
  CST,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Pair,
  type ParsedNode,
  Parser,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import type { ErrorCode } from '../../source/error.ts'
import { MAX_DEPTH } from '../limits.ts'
import { LF, SPACE } from '../reader/char-codes.ts'
import { getItem, getMember, getType, getTypes, type RootedSchema } from '../value/schema.ts'
import { refuse } from '../value/write-value.ts'
import { simpleEntry } from './simple-yaml.ts'

/** `at` is an index in the YAML text. */
export interface YamlProblem {
  code: ErrorCode
  message: string
  at: number
}

/** A parsed value that isn't data yet: a plain word's type may depend on a schema. */
export type YamlNode = ParsedNode | null

/** `at` is the index of the key in the text. */
export interface YamlEntry {
  key: string
  node: YamlNode
  at: number
}

/** `uniqueKeys` is quadratic in the library, so keys are compared here. Aliases are refused, so nothing is expanded. */
const parseOptions = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  prettyErrors: false,
  stringKeys: true,
  logLevel: 'silent',
} as const

const coreTags = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(tag => `tag:yaml.org,2002:${tag}`))

/** How to fix what the library reports, by its error code. */
const cures: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'Put a value that contains `: ` in quotes.',
  BAD_SCALAR_START: 'Put a value that begins with this character in quotes.',
  TAB_AS_INDENT: 'Indent with spaces.',
  BAD_INDENT: "Indent a key's content further than the key.",
  MISSING_CHAR: 'Close every quote and bracket on a line that is indented further than its key.',
}

/** Parsing stops at the first mistake, so a text full of mistakes costs no more than one. */
class FirstMistake extends Error {
  readonly problem: YamlProblem

  constructor(problem: YamlProblem) {
    super(problem.message)
    this.problem = problem
  }
}

function parseDocuments(text: string): Document.Parsed<ParsedNode>[] | YamlProblem {
  const composer = new Composer<ParsedNode>(parseOptions)
  let first: FirstMistake | undefined
  const onError = (source: unknown, code: string, message: string, warning?: boolean) => {
    if (warning === true) return
    // The library treats anything thrown as its own error and reports that too.
    first ??= new FirstMistake(toProblem(code, message, getOffset(source)))
    throw first
  }
  Object.assign(composer, { onError })
  try {
    return Array.from(composer.compose(readTokens(text)))
  } catch (error) {
    if (first !== undefined) return first.problem
    if (error instanceof FirstMistake) return error.problem
    throw error
  }
}

/**
 * The library's tokens, with checks for mistakes it misses. It notices two adjacent quoted texts only after reading all
 * of them. It accepts a quoted text that ends in an escaped quote before a less indented line, and a block indented by
 * a tab.
 */
function* readTokens(text: string): Generator<CST.Token> {
  const parser = new Parser()
  let isAfterQuoted = false
  let header = -1
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme)
    const isQuoted = type === 'double-quoted-scalar' || type === 'single-quoted-scalar'
    if (isQuoted && isAfterQuoted) {
      throw new FirstMistake(toProblem('UNEXPECTED_TOKEN', 'Unexpected scalar at node end', parser.offset))
    }
    if (isQuoted && endsInEscape(lexeme)) {
      const message = `Missing closing ${lexeme.charAt(0)}quote`
      throw new FirstMistake(toProblem('MISSING_CHAR', message, parser.offset + lexeme.length))
    }
    if (type === 'scalar' && header >= 0 && isIndentedByTab(text, header, parser.offset)) {
      throw new FirstMistake(toProblem('TAB_AS_INDENT', "A block can't be indented with a tab", parser.offset))
    }
    if (type === 'block-scalar-header') header = parser.offset
    else if (type === 'scalar') header = -1
    if (type !== 'space') isAfterQuoted = isQuoted
    yield* withoutErrors(parser.next(lexeme))
  }
  yield* withoutErrors(parser.end())
}

/** True for a quoted text whose last quote is escaped, so doesn't close it. */
function endsInEscape(lexeme: string): boolean {
  const quote = lexeme.charAt(0)
  const lastIndex = lexeme.length - 1
  if (lastIndex === 0 || lexeme.charAt(lastIndex) !== quote) return false
  const mark = quote === '"' ? '\\' : quote
  let at = lastIndex
  while (at > 1 && lexeme.charAt(at - 1) === mark) at--
  return (lastIndex - at) % 2 === 1
}

/** True if the text of a block, from `start` on, begins with a tab no further in than its header line. */
function isIndentedByTab(text: string, header: number, start: number): boolean {
  let at = start
  let line = start
  for (; text.charCodeAt(at) === SPACE || text.charCodeAt(at) === LF; at++)
    if (text.charCodeAt(at) === LF) line = at + 1
  if (text.charAt(at) !== '\t') return false
  const indent = text.lastIndexOf('\n', header) + 1
  return text.startsWith(' '.repeat(at - line), indent)
}

function* withoutErrors(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'error') throw new FirstMistake(toProblem('UNEXPECTED_TOKEN', token.message, token.offset))
    yield token
  }
}

function toProblem(code: string, message: string, at: number): YamlProblem {
  if (code === 'RESOURCE_EXHAUSTION') return tooDeep(at)
  const cure = cures[code]
  return badYaml(`${message.replace(/\.?$/, '.')}${cure === undefined ? '' : ` ${cure}`}`, at)
}

/** `source` is whatever the library passes. */
function getOffset(source: unknown): number {
  if (typeof source === 'number') return source
  if (Array.isArray(source)) return getOffset(source[0])
  const { offset } = (source ?? {}) as { offset?: unknown }
  return typeof offset === 'number' ? offset : 0
}

/** The entries of a text that is one mapping. An empty text has none. */
export function readMapping(text: string): YamlEntry[] | YamlProblem {
  const documents = parseDocuments(text)
  if (!Array.isArray(documents)) return documents
  const [document, ...others] = documents
  if (document === undefined) return []
  const second = others.find(other => !isEmptyValue(other.contents))
  if (second !== undefined) return badYaml('A second YAML document begins here.', getStart(second.contents))
  const { contents } = document
  if (isEmptyValue(contents)) return []
  if (!isMap(contents)) return badYaml('This is not `key: value`.', getStart(contents))
  return getEntries(contents) ?? badYaml('This is not `key: value`.', getStart(contents))
}

/** Like `readMapping`, but faster for one line of the simplest YAML. With `onlySimple`, anything else is skipped. */
export function readField(text: string, onlySimple: boolean): YamlEntry[] | YamlProblem {
  const simple = simpleEntry(text)
  if (simple === undefined) return onlySimple ? [] : readMapping(text)
  const { key, at, source, value } = simple
  const node = new Scalar(value)
  node.type = source === '' ? Scalar.QUOTE_DOUBLE : Scalar.PLAIN
  node.source = source
  return [{ key, at, node: node as YamlNode }]
}

/** The entries of a mapping node, otherwise undefined. Keys may repeat. */
export function getEntries(node: YamlNode): YamlEntry[] | undefined {
  if (node === null || !isMap(node) || !isCore(node.tag)) return undefined
  const entries: YamlEntry[] = []
  for (const { key, value } of node.items) {
    // An empty key is a slip, not the key "".
    if (!isScalar(key) || (key.type === Scalar.PLAIN && key.source === '')) return undefined
    entries.push({ key: formatKey(key), node: value as YamlNode, at: getStart(key as YamlNode) })
  }
  return entries
}

export function isEmptyValue(node: YamlNode): boolean {
  return node === null || (isScalar(node) && node.value === null && (node.source ?? '') === '' && !node.tag)
}

/** The text of a word or string, otherwise undefined. Null has none. */
export function getScalarText(node: YamlNode): string | undefined {
  if (node === null || !isScalar(node) || node.value === null || !isCore(node.tag)) return undefined
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}

/** Converts a node to data. A plain word is what it looks like, unless the schema allows only text. */
export function toValue(node: YamlNode, schema?: RootedSchema): { value: unknown } | YamlProblem {
  const converter = new Converter()
  const value = converter.convert(node, schema, 1)
  return converter.problem ?? { value }
}

class Converter {
  problem: YamlProblem | undefined

  convert(node: YamlNode, schema: RootedSchema | undefined, depth: number): unknown {
    if (node === null || this.problem !== undefined) return null
    if (isAlias(node)) {
      return this.#refuse(badYaml('Aliases (`*name`) are not allowed. Write the value out.', getStart(node)))
    }
    if (!isCore(node.tag)) {
      return this.#refuse(badYaml(`The tag \`${node.tag?.slice(0, 64)}\` is not allowed.`, getStart(node)))
    }
    if (isScalar(node)) return this.#scalar(node, schema)
    if (depth > MAX_DEPTH) return this.#refuse(tooDeep(getStart(node)))
    if (isSeq(node)) {
      return node.items.map((item, index) =>
        this.convert(item as YamlNode, schema && getItem(schema, index), depth + 1),
      )
    }
    return this.#map(node, schema, depth)
  }

  #map(node: YamlNode, schema: RootedSchema | undefined, depth: number): unknown {
    const entries = getEntries(node)
    if (entries === undefined) return this.#refuse(badYaml('A key must be one word or one string.', getStart(node)))
    const record = Object.create(null) as Record<string, unknown>
    const keys = new Set<string>()
    for (const { key, node: value, at } of entries) {
      if (keys.has(key)) return this.#refuse(badYaml(`The key \`${key.slice(0, 64)}\` is given twice.`, at))
      keys.add(key)
      const member = schema && getMember(schema, key)
      record[key] = this.convert(value, member, depth + 1)
      if (this.problem !== undefined) return null
    }
    return record
  }

  #scalar(node: Scalar, schema: RootedSchema | undefined): unknown {
    const { source = '' } = node
    const isPlain = node.type === Scalar.PLAIN && node.tag === undefined
    const value = isPlain ? plainValue(source, node.value, schema) : node.value
    if (typeof value !== 'number') return value
    if (!Number.isFinite(value)) {
      return this.#refuse(
        badYaml(`\`${source.slice(0, 64)}\` is not a number that JSON can represent.`, getStart(node)),
      )
    }
    if (value === 0) return 0
    return Number.isInteger(value) && !Number.isSafeInteger(value) && integerPattern.test(source) ? source : value
  }

  #refuse(problem: YamlProblem): null {
    this.problem ??= problem
    return null
  }
}

/** The value of a plain word that looks like `value`: that, unless the schema allows only text. */
export function plainValue(source: string, value: unknown, schema: RootedSchema | undefined): unknown {
  if (typeof value === 'string' || schema === undefined || !wantsText(value, schema)) return value
  // An empty value is text; the word `null` isn't.
  return value !== null || source === '' ? source : value
}

/** True if the schema doesn't allow `value`, but allows text or a list that a single text can fill. */
function wantsText(value: unknown, schema: RootedSchema): boolean {
  const types = getTypes(schema)
  if (types.has(getType(value))) return false
  if (types.has('string') || !types.has('array')) return types.has('string')
  const item = getItem(schema, 0)
  return item !== undefined && value !== null && wantsText(value, item)
}

const integerPattern = /^(?:[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+)$/

function isCore(tag: string | undefined): boolean {
  return tag === undefined || tag === '!' || coreTags.has(tag)
}

function formatKey(key: Scalar): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? '')
}

function getStart(node: { range?: readonly number[] | null } | null): number {
  return node?.range?.[0] ?? 0
}

function badYaml(message: string, at: number): YamlProblem {
  return { code: 'SYNTAX_BAD_YAML', message, at }
}

function tooDeep(at: number): YamlProblem {
  return { code: 'SYNTAX_TOO_DEEP', message: `The value nests deeper than ${MAX_DEPTH} levels.`, at }
}

/**
 * Writes a YAML mapping that reads back as the same data, in the library's choice of styles. Throws
 * `SYNTAX_CANNOT_WRITE` for data that JSON can't hold.
 */
export function writeMapping(fields: Readonly<Record<string, unknown>>): string[] {
  const map = new YAMLMap()
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) map.items.push(new Pair(new Scalar(key), toNode(value, 1)))
  }
  if (map.items.length === 0) return []
  // Keeps quoted text on one line: across several, the library writes spaces next to line breaks differently than it
  // reads them.
  const options = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }
  const text = new Document(map, { version: '1.2', schema: 'core' }).toString(options)
  return text.replace(/\n$/, '').split('\n')
}

function toNode(value: unknown, depth: number): Scalar | YAMLMap | YAMLSeq {
  switch (typeof value) {
    case 'string':
      return stringNode(value)
    case 'number':
      return numberNode(value)
    case 'boolean':
      return new Scalar(value)
    case 'object':
      break
    default:
      return refuse("it has a value that JSON can't represent")
  }
  if (value === null) return new Scalar(null)
  if (depth > MAX_DEPTH) refuse(`it nests deeper than ${MAX_DEPTH} levels`)
  if ('toJSON' in value && typeof value.toJSON === 'function') return toNode(value.toJSON(), depth + 1)
  if (Array.isArray(value)) {
    const list = new YAMLSeq()
    for (const item of value) list.items.push(toNode(item === undefined ? null : item, depth + 1))
    return list
  }
  const map = new YAMLMap()
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) map.items.push(new Pair(stringNode(key), toNode(member, depth + 1)))
  }
  return map
}

/** A block of blank lines only doesn't show where its text begins, so such a text is quoted. */
function stringNode(text: string): Scalar {
  const node = new Scalar(text)
  if (/^\s*$/.test(text)) node.type = Scalar.QUOTE_DOUBLE
  return node
}

/** Integers beyond 2^53 are read as text, so such a number is written with an exponent. */
function numberNode(value: number): Scalar {
  if (!Number.isFinite(value)) refuse("it has a value that JSON can't represent")
  const node = new Scalar(value)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) node.format = 'EXP'
  return node
}
