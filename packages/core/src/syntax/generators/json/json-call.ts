import type { ErrorCode } from '../../../source/error.ts'
import { MAX_DEPTH, MAX_NAME } from '../../limits.ts'
import { LESS } from '../../reader/char-codes.ts'
import type { Reader } from '../../reader/reader.ts'
import type { State } from '../../reader/states.ts'
import { isToolName } from '../../tool-names.ts'
import { getFirstCharacters, toList } from '../marker.ts'
import { openWithId } from '../open-with-id.ts'
import type { JsonDialect } from '../tables.ts'
import { ArgumentsText } from './arguments-text.ts'
import { JsonScanner } from './json-scanner.ts'
import { type JsonSink, noSink, type ScanProblem } from './json-sink.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

type KeyRole = 'name' | 'arguments' | 'id' | 'ignored'

/**
 * What is known about a call before its JSON. `certain`: it can only be a call. `bare`: it may be an ordinary object.
 */
interface CallFacts {
  name?: string
  id?: string
  certain?: boolean
  bare?: boolean
}

/** The JSON of one call at a time: an object with name and arguments, or the arguments alone. */
export interface CallJson {
  /** Starts another call, of which only what its marker says is known. */
  begin(facts?: CallFacts): void
  /** Records a repair made before the call's JSON began. */
  repair(name: string): void
  /** The call's name is known, but what follows isn't JSON: an error if the tool is known, otherwise not a call. */
  wrongForm(): State
  /** Continues after the object's `{`. */
  readonly object: State
  readonly namedArguments: State
  /** The marker contains the name, so the arguments follow it. */
  hasName(): boolean
  /** The call breaks at the next character. If it may still turn out not to be a call, it is text. */
  fail(problem: ScanProblem): State
  /** A name for a call that is cut off before it opens; undefined if it may not be a call. */
  cutOff(): string | undefined
  isOpen(): boolean
}

/** `end` returns the state after the JSON. `broken` is the state for JSON that can't be read. */
export function readCallJson(reader: Reader, dialect: JsonDialect, end: () => State, broken: State): CallJson {
  const roles = new Map<string, KeyRole>()
  for (const role of ['ignored', 'id', 'arguments', 'name'] as const) {
    for (const key of dialect.keys[role]) roles.set(key, role)
  }
  const closeStarts = getFirstCharacters(toList(dialect.close))
  /** Only an object marks the call, so its keys must show that it is one. */
  let bare = false
  const scanner = new JsonScanner({ rounds: reader.rounds })
  /** What is known about the call. Nothing is sent before its name is known. */
  let name = ''
  let id: string | undefined
  let isNamed = false
  /** Whether an object has begun after the marker, and whether the text so far can only be a call. */
  let hasBegun = false
  let start = -1
  let certain = false
  let afterComma = false
  let key = ''
  /** A key, a name or an id, as the scanner wrote it. */
  let word = ''
  let hasArguments = false
  /** The arguments, if they came before the name. */
  let earlyArguments: { json: string; members: number; hasLargeInteger: boolean } | undefined

  const wordSink: JsonSink = {
    pass(text) {
      word += text
    },
    put(json) {
      word += json
    },
    repair() {},
  }

  const input = new ArgumentsText(reader)

  function begin(facts: CallFacts = {}): void {
    name = facts.name ?? ''
    bare = facts.bare === true
    id = facts.id
    isNamed = name !== ''
    certain = facts.certain === true
    key = ''
    start = -1
    hasBegun = afterComma = hasArguments = false
    earlyArguments = undefined
    scanner.repaired.clear()
  }

  function namedArguments(): State {
    return openCall() ?? beginArguments()
  }

  function wrongForm(): State {
    if (reader.tool(name) === undefined || !reader.isLastTry) return reader.notCall()
    certain = true
    const [where = 'arguments'] = dialect.keys.arguments
    return fail({ code: 'SYNTAX_BAD_JSON', message: `The ${where} of \`${name}\` must be a JSON object.` })
  }

  function repair(repairName: string): void {
    scanner.repaired.add(repairName)
  }

  /**
   *   | {"name": "read_file", "arguments": {"path": "a"}}
   *      ^                    ^
   */
  function object(): State {
    hasBegun = !bare
    if (start < 0) start = reader.offset - 1
    if (!reader.skipSpace()) return object
    const code = reader.text.charCodeAt(reader.at)
    if (code === OPEN_BRACE && key === '' && !bare && !scanner.repaired.has('double-braces')) {
      scanner.repaired.add('double-braces')
      reader.at++
      return object
    }
    if (code === CLOSE_BRACE) {
      if (afterComma) scanner.repaired.add('trailing-comma')
      reader.at++
      return endOfObject()
    }
    if (code === QUOTE && !certain && key === '') {
      reader.at++
      return firstOfKey
    }
    return beginKey()
  }

  function beginKey(): State {
    word = ''
    scanner.beginKey(wordSink)
    return memberKey()
  }

  /** No key of a call begins like a tag, so a tag isn't scanned for the end of a key. */
  function firstOfKey(): State {
    if (reader.text.charCodeAt(reader.at) === LESS) return reader.notCall(start)
    reader.goBackTo(reader.offset - 1)
    return beginKey()
  }

  function memberKey(): State {
    if (!scan())
      return word.length > 2 * MAX_NAME ? failOrNotCall('The JSON of the call has a key that is too long.') : memberKey
    if (scanner.problem !== undefined) return certain ? fail(scanner.problem) : reader.notCall(start)
    key = String(JSON.parse(word))
    return afterKey
  }

  /**
   *   | {"name": "read_file", "arguments": {"path": "a"}}
   *            ^
   */
  function afterKey(): State {
    if (!reader.skipSpace()) return afterKey
    if (reader.text.charCodeAt(reader.at) !== COLON) return failOrNotCall(`There is no \`:\` after \`${key}\`.`)
    reader.at++
    if (!bare) certain = true
    return beforeValue
  }

  /**
   *   | {"name": "read_file", "arguments": {"path": "a"}}
   *              ^
   */
  function beforeValue(): State {
    if (!reader.skipSpace()) return beforeValue
    if (dialect.nameAsKey === true && name === '') {
      name = key
      if (!isToolName(name)) return failOrNotCall("The call's key must be the name of a tool.", 'SYNTAX_MISSING_NAME')
      return (bare ? undefined : openCall()) ?? beginArguments()
    }
    const role = roles.get(key)
    if (role === 'arguments') return beginArguments()
    if (role === undefined) {
      const [where = 'arguments'] = dialect.keys.arguments
      const message = `\`${key}\` is not part of a call; the tool's input goes into \`${where}\`.`
      return failOrNotCall(message, 'SYNTAX_STRAY_TEXT')
    }
    word = ''
    scanner.begin(role === 'ignored' ? noSink : wordSink, MAX_DEPTH)
    return role === 'name' ? nameValue() : role === 'id' ? idValue() : ignoredValue()
  }

  function nameValue(): State {
    if (!scan()) return nameValue
    if (scanner.problem !== undefined) return fail(scanner.problem)
    const value: unknown = JSON.parse(word)
    if (typeof value !== 'string' || !isToolName(value))
      return failOrNotCall('The name of the tool must be a string.', 'SYNTAX_MISSING_NAME')
    if (name !== '') return failOrNotCall('The call has two names.')
    name = value.trim()
    return (bare ? undefined : openCall()) ?? afterValue
  }

  function idValue(): State {
    if (!scan()) return idValue
    if (scanner.problem !== undefined) return fail(scanner.problem)
    const value: unknown = JSON.parse(word)
    if (typeof value !== 'string' && typeof value !== 'number') return afterValue
    if (reader.call === undefined) id = String(value)
    else if (reader.call.id !== String(value)) reader.call.modelId = String(value)
    return afterValue
  }

  function ignoredValue(): State {
    if (!scan()) return ignoredValue
    return scanner.problem === undefined ? afterValue : fail(scanner.problem)
  }

  /** An object, a string that contains one, or `null` for none. */
  function beginArguments(): State {
    if (hasArguments) return failOrNotCall('The call gives its arguments twice.')
    if (bare && name !== '' && reader.call === undefined) {
      if (isUnknown(name)) return reader.notCall()
      const otherState = openCall()
      if (otherState !== undefined) return otherState
    }
    hasArguments = true
    input.begin()
    if (reader.text.charCodeAt(reader.at) === OPEN_BRACE) {
      scanner.begin(input, MAX_DEPTH + 1)
      return argumentsObject()
    }
    word = ''
    scanner.begin(wordSink, MAX_DEPTH)
    return otherArguments()
  }

  /**
   *   | {"name": "write_file", "arguments": {"content": "fn main() {}"}}
   *                                                      ^
   */
  function argumentsObject(): State {
    if (!scan()) return argumentsObject
    if (scanner.problem !== undefined) return fail(scanner.problem)
    return endArguments()
  }

  function otherArguments(): State {
    if (!scan()) return otherArguments
    if (scanner.problem !== undefined) return fail(scanner.problem)
    const value: unknown = JSON.parse(word)
    if (value === null || (typeof value === 'string' && value.trim() === '')) {
      scanner.repaired.add('arguments-not-an-object')
      hasArguments = false
      return afterValue
    }
    if (typeof value !== 'string' || !value.trimStart().startsWith('{')) {
      return failOrNotCall('The arguments must be a JSON object.')
    }
    scanner.repaired.add('arguments-in-a-string')
    input.begin(true)
    scanner.begin(input, MAX_DEPTH + 1)
    const end = scanner.read(value, 0)
    if (scanner.problem !== undefined) return fail(scanner.problem)
    if (!scanner.done || value.slice(end).trim() !== '')
      return failOrNotCall('The arguments string is not a JSON object.')
    return endArguments()
  }

  /** An object without a mark is a call only if it names a known tool. */
  function isUnknown(toolName: string): boolean {
    return (dialect.knownOnly === true || reader.toolNames.length > 0) && reader.tool(toolName) === undefined
  }

  function endArguments(): State {
    const { members, hasLargeInteger } = scanner
    if (reader.call === undefined) earlyArguments = { json: input.toString(), members, hasLargeInteger }
    else reader.call.endJson(input.toString(), members, input.offset, hasLargeInteger)
    return isNamed ? endOfCall() : afterValue
  }

  /**
   *   | {"name": "read_file", "arguments": {"path": "a"}}
   *                         ^                          ^
   */
  function afterValue(): State {
    if (!reader.skipSpace()) return afterValue
    const code = reader.text.charCodeAt(reader.at)
    if (closeStarts.includes(reader.text.charAt(reader.at)) && lacksBrace()) {
      scanner.repaired.add('missing-brace')
      return endOfCall()
    }
    if (code !== COMMA && code !== CLOSE_BRACE) return failOrNotCall(`\`,\` or \`}\` is missing after \`${key}\`.`)
    reader.at++
    afterComma = code === COMMA
    return afterComma ? object : endOfObject()
  }

  /** The missing brace can only be the last one: the arguments are complete and contain no other brackets. */
  function lacksBrace(): boolean {
    return hasArguments && reader.call !== undefined && /^\s*\{[^{}[\]]*\}\s*$/.test(input.toString())
  }

  function endOfObject(): State {
    if (reader.call === undefined) {
      if (bare) return reader.notCall()
      const [where = 'name'] = dialect.keys.name
      const otherState = openBroken({ code: 'SYNTAX_MISSING_NAME', message: `The call has no \`${where}\`.` })
      if (otherState !== undefined) return otherState
    }
    return endOfCall()
  }

  function endOfCall(): State {
    for (const repairName of scanner.repaired) reader.call?.repairOrFail(repairName, reader.offset)
    return end()
  }

  function openCall(): State | undefined {
    const otherState = openWithId(reader, name, id)
    if (otherState !== undefined) return otherState
    certain = true
    if (earlyArguments === undefined) return undefined
    reader.call?.writeJson(earlyArguments.json)
    reader.call?.endJson(earlyArguments.json, earlyArguments.members, input.offset, earlyArguments.hasLargeInteger)
    return undefined
  }

  function scan(): boolean {
    reader.at = scanner.read(reader.text, reader.at)
    return scanner.done
  }

  /** The text can't continue like this: not a call if that is still possible, otherwise a broken one. */
  function failOrNotCall(message: string, code: ErrorCode = 'SYNTAX_BAD_JSON'): State {
    return certain ? fail({ code, message }) : reader.notCall(start)
  }

  function fail(problem: ScanProblem): State {
    if (reader.call === undefined && !certain) return reader.notCall(start)
    return openBroken(problem) ?? broken
  }

  /** Opens the call if needed and breaks it. Returns the state to continue with if opening is refused. */
  function openBroken({ code, message }: ScanProblem): State | undefined {
    const otherState = reader.call === undefined ? openWithId(reader, name || 'unknown', id) : undefined
    if (otherState === undefined) reader.call?.fail(code, message, reader.offset)
    return otherState
  }

  function isOpen(): boolean {
    return scanner.inValue || !hasArguments
  }

  function cutOff(): string | undefined {
    if (isNamed) return name
    return certain || hasBegun ? name || 'unknown' : undefined
  }

  return {
    begin,
    object,
    namedArguments,
    wrongForm,
    repair,
    // Not a getter: V8 would keep it, and with it the whole parser, in a separate shape.
    hasName: () => isNamed,
    fail,
    cutOff,
    isOpen,
  }
}
