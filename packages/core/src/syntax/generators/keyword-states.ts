import { MAX_DEPTH } from '../limits.ts'
import { KeptText } from '../reader/kept-text.ts'
import type { Reader } from '../reader/reader.ts'
import type { State, States } from '../reader/states.ts'
import { isToolName } from '../tool-names.ts'
import { callOpener, getMark } from './call-opener.ts'
import { DelimitedString } from './json/delimited-string.ts'
import { JsonScanner } from './json/json-scanner.ts'
import type { JsonSink, ScanProblem } from './json/json-sink.ts'
import { PythonString } from './json/python-string.ts'
import { MarkerSet, toList } from './marker.ts'
import { openWithId } from './open-with-id.ts'
import type { CallForm, KeywordDialect } from './tables.ts'

const COMMA = 44
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93

export function keywordStates(dialect: KeywordDialect): (reader: Reader) => States {
  return reader => readerStates(reader, dialect)
}

function readerStates(reader: Reader, dialect: KeywordDialect): States {
  const closes = toList(dialect.close)
  const forms = dialect.otherCall === undefined ? [dialect.call] : [dialect.call, dialect.otherCall]
  const assigns = forms.map(([, sign]) => sign)
  let [, assign, endArguments]: CallForm = dialect.call
  const openers = callOpener(reader, dialect.open, [], afterOpener)
  const closers = new MarkerSet(closes)
  const { delimiter } = dialect
  const strings = delimiter === undefined ? new PythonString() : new DelimitedString(delimiter)
  const scanner = new JsonScanner({ strings, rounds: reader.rounds, python: true })
  let name = ''
  let key = ''
  /** The calls are in brackets that aren't closed yet. */
  let inList = false
  /** A call in the current wrapper has ended. */
  let hasCall = false
  let isBare = false
  let needsKnownTool = false
  let json = new KeptText()
  let members = 0
  let hasLargeInteger = false
  let endOffset = 0
  let inArguments = false
  let markerStart = 0
  let afterAnyKey: State = afterKey

  const sink: JsonSink = {
    pass: write,
    put: write,
    repair() {},
  }

  const keySink: JsonSink = {
    pass: text => (reader.word += text),
    put: text => (reader.word += text),
    repair() {},
  }

  function write(text: string): void {
    json.append(text)
    reader.call?.writeJson(text)
  }

  /**
   *   | <|tool_call_start|>[read_file(path="a")]<|tool_call_end|>
   *     ^
   */
  function opener(): State {
    begin()
    return openers.begin()
  }

  function begin(): void {
    inList = hasCall = inArguments = false
  }

  function openerAfter(prefix: string): State {
    begin()
    return openers.beginAfter(prefix) ?? opener()
  }

  function afterOpener(opener: number): State {
    const entry = dialect.open[opener]
    isBare = entry !== undefined && getMark(entry) === ''
    name = openers.values.name
    needsKnownTool = typeof entry === 'object' && entry.known === true
    return name === '' ? beforeCalls() : afterName
  }

  function beforeCalls(): State {
    if (!reader.skipSpace()) return beforeCalls
    const isList = reader.text.charCodeAt(reader.at) === OPEN_BRACKET
    if (dialect.list === 'always' && !isList) return reader.notCall()
    if (isList) {
      if (dialect.list === 'never') return reader.notCall()
      inList = true
      reader.at++
    }
    return beforeName()
  }

  function beforeName(): State {
    if (!reader.skipSpace()) return beforeName
    reader.word = ''
    return toolName()
  }

  /**
   *   | [read_file(path="a"), read_file(path="b")]
   *      ^
   */
  function toolName(): State {
    if (!reader.readName(true)) return toolName
    name = reader.word
    return afterName()
  }

  function afterName(): State {
    const next = reader.text.charAt(reader.at)
    if (dialect.namespaced === true && next === ':') {
      reader.at++
      reader.word = ''
      return nameInSpace
    }
    const form = forms.find(([begin]) => begin === next)
    if (!isToolName(name) || form === undefined) return reader.notCall()
    const isDoubtful = isBare || dialect.liveCode === true
    const mustBeKnown = needsKnownTool || (isDoubtful && (dialect.knownOnly === true || reader.toolNames.length > 0))
    if (mustBeKnown && reader.tool(name) === undefined) return reader.notCall()
    reader.at++
    ;[, assign, endArguments] = form
    scanner.repaired.clear()
    if (form !== dialect.call) scanner.repaired.add('call-form')
    json = new KeptText()
    members = 0
    hasLargeInteger = false
    return beforeFirst
  }

  /**
   * A tool may be called by its full path. Otherwise the last part is its name.
   *
   *   | <|tool_call>call:google:mcp:read_file{
   *                             ^
   */
  function nameInSpace(): State {
    if (!reader.readName(true)) return nameInSpace
    const path = `${name}:${reader.word}`
    name = reader.tool(path) === undefined && reader.text.charAt(reader.at) !== ':' ? reader.word : path
    return afterName()
  }

  /**
   * Only text that continues like a call is one.
   *
   *   | [read_file(path="a")]
   *                ^
   */
  function beforeFirst(): State {
    if (!reader.skipSpace()) return beforeFirst
    if (reader.text.charAt(reader.at) === endArguments) {
      const otherState = openWithId(reader, name, undefined)
      if (otherState !== undefined) return otherState
      write('{')
      return endOfCall()
    }
    return readKey(afterFirstKey)
  }

  /** A key is a word, or a string if the dialect has its own strings. */
  function readKey(next: State): State {
    reader.word = key = ''
    afterAnyKey = next
    const character = reader.text.charAt(reader.at)
    if (delimiter === undefined || (character !== '"' && character !== delimiter.charAt(0))) return keyWord
    scanner.beginKey(keySink)
    return keyString
  }

  function keyWord(): State {
    if (!reader.readName(true)) return keyWord
    key = reader.word
    return afterAnyKey
  }

  /**
   *   | {<|"|>path<|"|>:<|"|>a<|"|>}
   *      ^
   */
  function keyString(): State {
    reader.at = scanner.read(reader.text, reader.at)
    if (!scanner.done) return keyString
    key = scanner.problem === undefined ? readKeyJson(reader.word) : ''
    return afterAnyKey
  }

  function isAssign(): boolean {
    const sign = reader.text.charAt(reader.at)
    if (sign === assign) return true
    if (!assigns.includes(sign)) return false
    scanner.repaired.add('call-form')
    return true
  }

  function afterFirstKey(): State {
    if (!reader.skipSpace()) return afterFirstKey
    if (key === '' || !isAssign()) {
      return reader.tool(name) === undefined || isBare || !reader.isLastTry ? reader.notCall() : wrongForm()
    }
    const otherState = openWithId(reader, name, undefined)
    if (otherState !== undefined) return otherState
    inArguments = true
    write('{')
    return beginValue()
  }

  /** A known tool is called with something other than keywords. */
  function wrongForm(): State {
    const otherState = openWithId(reader, name, undefined)
    return otherState ?? fail({ code: 'SYNTAX_STRAY_TEXT', message: `The arguments of \`${name}\` must have names.` })
  }

  function beginValue(): State {
    reader.at++
    write(`${members > 0 ? ',' : ''}${JSON.stringify(key)}:`)
    members++
    scanner.begin(sink, MAX_DEPTH)
    return value
  }

  /**
   *   | [read_file(path="a", line=12)]
   *                     ^
   */
  function value(): State {
    reader.at = scanner.read(reader.text, reader.at)
    if (!scanner.done) return value
    if (scanner.problem !== undefined) return fail(scanner.problem)
    hasLargeInteger ||= scanner.hasLargeInteger
    return afterValue
  }

  /**
   *   | [read_file(path="a", line=12)]
   *                        ^
   */
  function afterValue(): State {
    if (!reader.skipSpace()) return afterValue
    const character = reader.text.charAt(reader.at)
    if (character === endArguments) return endOfCall()
    if (character !== ',') {
      return fail({ code: 'SYNTAX_BAD_JSON', message: `\`,\` or \`${endArguments}\` is missing after \`${key}\`.` })
    }
    reader.at++
    return beforeKey
  }

  function beforeKey(): State {
    if (!reader.skipSpace()) return beforeKey
    if (reader.text.charAt(reader.at) === endArguments) return endOfCall()
    return readKey(afterKey)
  }

  function afterKey(): State {
    if (!reader.skipSpace()) return afterKey
    if (key !== '' && isAssign()) return beginValue()
    return fail({ code: 'SYNTAX_STRAY_TEXT', message: `An argument of \`${name}\` has no name.` })
  }

  function endOfCall(): State {
    reader.at++
    inArguments = false
    write('}')
    for (const repairName of scanner.repaired) reader.call?.repairOrFail(repairName, reader.offset)
    scanner.repaired.clear()
    reader.call?.endJson(json.toString(), members, reader.offset, hasLargeInteger)
    hasCall = true
    endOffset = reader.offset
    return reader.closeWithin(afterCall)
  }

  /**
   *   | [read_file(path="a"), read_file(path="b")]
   *                         ^                    ^
   */
  function afterCall(): State {
    if (!reader.skipSpace()) return afterCall
    const code = reader.text.charCodeAt(reader.at)
    if (inList && code === COMMA) {
      reader.at++
      return beforeName
    }
    if (inList && code === CLOSE_BRACKET) {
      inList = false
      reader.at++
      endOffset = reader.offset
      return closes[0] === '' ? reader.leave() : afterCall
    }
    if (inList) return reader.notCall()
    if (closes[0] === '') return leaveAtEnd()
    closers.begin()
    markerStart = reader.offset
    return closingMarker()
  }

  function closingMarker(): State {
    const match = closers.read(reader)
    if (match === undefined) return closingMarker
    if (match >= 0) return reader.leave()
    reader.goBackTo(markerStart)
    if (dialect.list === 'never' || dialect.list === 'maybe') {
      reader.word = ''
      return nextName
    }
    return leaveAtEnd()
  }

  /** Calls without brackets follow each other on separate lines. */
  function nextName(): State {
    if (!reader.readName(true)) return nextName
    name = reader.word
    if (forms.some(([begin]) => begin === reader.text.charAt(reader.at))) return afterName
    return leaveAtEnd()
  }

  function leaveAtEnd(): State {
    reader.goBackTo(endOffset)
    return reader.leave()
  }

  function fail({ code, message }: ScanProblem): State {
    inArguments = false
    reader.call?.fail(code, message, reader.offset)
    return broken
  }

  /** A call that can't be read ends with the calls' end marker, or with its line. */
  function broken(): State {
    const { text, at } = reader
    if (closes[0] === '') {
      const end = text.indexOf('\n', at)
      reader.at = end < 0 ? text.length : end
      return end < 0 ? broken : reader.close()
    }
    const first = (closes[0] ?? '').charAt(0)
    const next = text.indexOf(first, at)
    reader.at = next < 0 ? text.length : next
    if (next < 0) return broken
    closers.begin()
    markerStart = reader.offset
    return brokenMarker()
  }

  function brokenMarker(): State {
    const match = closers.read(reader)
    if (match === undefined) return brokenMarker
    if (match >= 0) return reader.close()
    reader.goBackTo(markerStart + 1)
    return broken
  }

  /** The text ends after calls. Their end marker may have been stripped. */
  function end(): State | undefined {
    return reader.call === undefined && hasCall ? leaveAtEnd() : undefined
  }

  function unclosed(): ScanProblem {
    return { code: 'SYNTAX_UNCLOSED_VALUE', message: `The text ends before the \`${endArguments}\` of the call.` }
  }

  function cutOff(): string | undefined {
    return !isBare && isToolName(name) && inArguments ? name : undefined
  }

  return { opener, openerAfter, unclosed, cutOff, end }
}

function readKeyJson(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return ''
  }
}
