import { defined } from '../../../source/defined.ts'
import { BACKTICK } from '../../reader/char-codes.ts'
import type { Reader } from '../../reader/reader.ts'
import type { State, States } from '../../reader/states.ts'
import { isName, isToolName } from '../../tool-names.ts'
import { type CallOpener, callOpener, getMark, getPlace, neverEmpty } from '../call-opener.ts'
import { getFirstCharacters, MarkerSet, toList } from '../marker.ts'
import type { JsonDialect } from '../tables.ts'
import { readCallJson } from './json-call.ts'
import type { ScanProblem } from './json-sink.ts'

const QUOTE = 34
const APOSTROPHE = 39
const COMMA = 44
const SEMICOLON = 59
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

export function jsonStates(dialect: JsonDialect): (reader: Reader) => States {
  const closeStart = new RegExp(`[${getFirstCharacters(toList(dialect.close)).replaceAll(/[\\\]^-]/g, '\\$&')}]`)
  return reader => readerStates(reader, dialect, closeStart)
}

/** `closeStart` matches the first character of the markers that end a call. */
function readerStates(reader: Reader, dialect: JsonDialect, closeStart: RegExp): States {
  const open = dialect.open.map(getMark)
  const places = dialect.open.map(getPlace)
  const needsKnownTool = dialect.open.map(entry => typeof entry !== 'string' && entry.known === true)
  const closes = toList(dialect.close)
  const [close = ''] = closes
  const { wrapper, separator } = dialect
  const wrapperOpens = wrapper === undefined ? [] : toList(wrapper.open)
  const wrapperCloses = wrapper === undefined ? [] : toList(wrapper.close)
  const nameFirst = open.findIndex(mark => mark.startsWith('{name}'))
  const namePlace = places[nameFirst]
  const nonEmptyOpens = open.map(neverEmpty)
  const openers = callOpener(reader, dialect.open, wrapperOpens, afterOpener)
  const nextOrEnd = new MarkerSet([...nonEmptyOpens, ...wrapperCloses])
  const closers = new MarkerSet([...closes, ...nonEmptyOpens, ...wrapperCloses])
  const closer = new MarkerSet(closes)
  const json = readCallJson(reader, dialect, endOfCall, brokenJson)
  let inList = false
  /** A call in the current wrapper has ended. */
  let hasCall = false
  /** The call's marker is empty, or may begin ordinary code too. What follows may not be a call. */
  let isBare = false
  /** The call began with its name, a word that may be prose. */
  let isNameFirst = false
  /** The call's JSON is complete, but its end marker isn't. */
  let isComplete = false
  let jsonEnd = 0
  let listEnded = false
  let markerStart = 0

  /**
   *   | Let me look. <tool_call>
   *                  ^
   */
  function opener(): State {
    begin()
    if (nameFirst >= 0 && isName(reader.firstCharacter)) {
      reader.word = ''
      const isRightPlace = namePlace === 'line' ? reader.atLineStart : reader.isFirst
      return isRightPlace ? firstName() : reader.notCall()
    }
    return openers.begin()
  }

  /** Holds back only a possible tool name. If no tools are known, any name at the start of a line may be one. */
  function firstName(): State {
    const isAny = namePlace === 'line' && reader.toolNames.length === 0
    while (reader.at < reader.text.length) {
      const character = reader.text.charAt(reader.at)
      if (!isName(character)) {
        if (!isAny && reader.tool(reader.word) === undefined) return reader.notCall()
        reader.goBackTo(markerStart)
        return openers.begin()
      }
      reader.word += character
      if (!isAny && !reader.toolNames.some(name => name.startsWith(reader.word))) return reader.notCall()
      reader.at++
    }
    return firstName
  }

  function begin(): void {
    inList = hasCall = isComplete = listEnded = false
    json.begin()
    markerStart = reader.offset
  }

  function openerAfter(prefix: string): State {
    begin()
    return openers.beginAfter(prefix) ?? opener()
  }

  function afterOpener(opener: number): State {
    if (opener >= open.length) return insideWrapper
    isBare = open[opener] === '' || places[opener] === 'start'
    return beginBody(openers.values, opener)
  }

  /**
   *   | <|tool_calls_begin|><|tool_call_begin|>
   *                         ^
   */
  function insideWrapper(): State {
    if (!reader.skipSpace()) return insideWrapper
    nextOrEnd.begin()
    return markerInWrapper()
  }

  function markerInWrapper(): State {
    const mark = nextOrEnd.read(reader)
    if (mark === undefined) return markerInWrapper
    if (mark < 0) return reader.notCall()
    if (mark < open.length) return beginBody(nextOrEnd, mark)
    return hasCall ? reader.leave() : reader.notCall()
  }

  function beginBody({ name, id }: CallOpener['values'], opener: number): State {
    const toolName = name === '' && id !== '' ? nameIn(id) : name
    inList = isComplete = listEnded = false
    isNameFirst = opener === nameFirst
    json.begin(defined({ name: toolName, id: id === '' ? undefined : id, bare: isBare }))
    if (toolName === '' && dialect.nameInId !== undefined) return noName
    const isAny = opener === nameFirst && namePlace === 'line' && reader.toolNames.length === 0
    if (needsKnownTool[opener] === true && !isAny && reader.tool(toolName) === undefined) return noBody
    return toolName === '' || (isToolName(toolName) && !toolName.endsWith('/')) ? body : noBody
  }

  function nameIn(id: string): string {
    const { name = '', known: knownName = '' } = dialect.nameInId?.exec(id)?.groups ?? {}
    return name !== '' || reader.tool(knownName) === undefined ? name : knownName
  }

  function noName(): State {
    json.begin({ certain: true })
    return json.fail({ code: 'SYNTAX_MISSING_NAME', message: "The call doesn't name its tool." })
  }

  /** The marker's name isn't valid, or isn't a known tool's. */
  function noBody(): State {
    return reader.notCall()
  }

  /**
   *   | <tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>
   *                ^
   */
  function body(): State {
    if (!reader.skipSpace()) return body
    const code = reader.text.charCodeAt(reader.at)
    if (json.hasName() && code === OPEN_BRACE) return json.namedArguments()
    if (json.hasName()) return isBare || isNameFirst ? reader.notCall() : json.wrongForm()
    if (code === OPEN_BRACKET && !inList) {
      inList = true
      reader.at++
      return body
    }
    if (code === BACKTICK && !isBare && !inList) {
      reader.word = ''
      return fenceInBody
    }
    const isAlone = isBare && !inList && reader.toolNames.length === 0
    if (isAlone && dialect.knownOnly === 'unless listed') return reader.notCall()
    if (code !== OPEN_BRACE) {
      if (isBare || inList || reader.toolNames.length === 0 || !reader.isLastTry) return reader.notCall()
      reader.word = ''
      return wordInBody
    }
    reader.at++
    return json.object
  }

  /**
   *   | <tool_call>```json
   *                ^
   */
  function fenceInBody(): State {
    while (reader.at < reader.text.length) {
      const code = reader.text.charCodeAt(reader.at)
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        json.repair('fenced-json')
        return body
      }
      reader.word += reader.text.charAt(reader.at++)
      if (!/^`{1,3}$|^```\s*(?:json|j|js|jso)?\s*$/.test(reader.word) || reader.word.length > 40)
        return reader.notCall()
    }
    return fenceInBody
  }

  /**
   * The marker is followed by a tool's name, as in another dialect: a call in the wrong form.
   *
   *   | <tool_call>read_file("src/lib.rs")</tool_call>
   *                ^
   */
  function wordInBody(): State {
    if (!reader.readName(true)) return wordInBody
    if (reader.tool(reader.word) === undefined) return reader.notCall()
    json.begin({ name: reader.word })
    return json.wrongForm()
  }

  function endOfCall(): State {
    isComplete = true
    jsonEnd = reader.offset
    if (!inList) return close === '' ? closeCall() : afterJson
    hasCall = true
    isComplete = false
    json.begin({ bare: isBare })
    return reader.closeWithin(betweenItems)
  }

  /** The call is complete. If the dialect has a wrapper, another call may follow. */
  function closeCall(): State {
    hasCall = true
    isComplete = false
    json.begin({ bare: isBare })
    if (wrapper !== undefined) return reader.closeWithin(insideWrapper)
    return separator === undefined ? reader.close() : reader.closeWithin(afterCall)
  }

  /**
   *   | {"name": "a", "parameters": {}}; {"name": "b", "parameters": {}}
   *                                    ^
   */
  function afterCall(): State {
    if (!reader.skipSpace()) return afterCall
    const code = reader.text.charCodeAt(reader.at)
    if (code === separator?.charCodeAt(0)) {
      reader.at++
      return afterSeparator
    }
    return code === OPEN_BRACE && isBare ? afterSeparator : reader.notCall()
  }

  function afterSeparator(): State {
    if (!reader.skipSpace()) return afterSeparator
    if (reader.text.charCodeAt(reader.at) !== OPEN_BRACE) return reader.notCall()
    reader.at++
    return json.object
  }

  /**
   *   | [TOOL_CALLS][{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]
   *                                                ^                               ^
   */
  function betweenItems(): State {
    if (!reader.skipSpace()) return betweenItems
    const code = reader.text.charCodeAt(reader.at)
    if (code !== COMMA && code !== CLOSE_BRACKET && code !== OPEN_BRACE) return reader.notCall()
    reader.at++
    if (code === COMMA) return betweenItems
    if (code === OPEN_BRACE) {
      json.begin({ certain: !isBare, bare: isBare })
      return json.object
    }
    inList = false
    listEnded = true
    jsonEnd = reader.offset
    return close === '' ? (wrapper === undefined ? reader.leave() : insideWrapper) : afterList
  }

  function afterList(): State {
    if (!reader.skipSpace()) return afterList
    closer.begin()
    return listCloser()
  }

  function listCloser(): State {
    const match = closer.read(reader)
    if (match === undefined) return listCloser
    if (match < 0 && dialect.closeOptional !== true) return reader.notCall()
    if (match < 0) reader.goBackTo(jsonEnd)
    return wrapper === undefined ? reader.leave() : insideWrapper
  }

  /**
   *   | {"name": "read_file", "arguments": {"path": "a"}}</tool_call>
   *                                                      ^
   */
  function afterJson(): State {
    if (!reader.skipSpace()) return afterJson
    const code = reader.text.charCodeAt(reader.at)
    if (code === OPEN_BRACE && !json.hasName()) {
      isComplete = false
      json.begin({ bare: isBare })
      return reader.closeWithin(body)
    }
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET || code === COMMA || code === SEMICOLON) {
      if (code !== SEMICOLON) reader.call?.repairOrFail('extra-bracket', reader.offset)
      reader.at++
      return afterJson
    }
    if (code === BACKTICK && close.charCodeAt(0) !== BACKTICK) {
      reader.call?.repairOrFail('fenced-json', reader.offset)
      reader.at++
      return afterJson
    }
    markerStart = reader.offset
    closers.begin()
    return closingMarker()
  }

  function closingMarker(): State {
    const match = closers.read(reader)
    if (match === undefined) return closingMarker
    if (match < 0 && dialect.closeOptional === true) return reader.closeAt(jsonEnd)
    if (match < 0 && isHalfClosed()) {
      reader.call?.repairOrFail('call-not-closed', reader.offset)
      return closeCall()
    }
    if (match < 0)
      return json.fail({ code: 'SYNTAX_STRAY_TEXT', message: `There is text between the JSON and \`${close}\`.` })
    if (match < closes.length) return closeCall()
    if (!isToken(close)) reader.call?.repairOrFail('call-not-closed', reader.offset)
    if (match >= closes.length + open.length) return reader.close()
    return reader.closeWithin(beginBody(closers, match - closes.length), reader.offset - markerStart)
  }

  function isHalfClosed(): boolean {
    if (!reader.atEnd) return false
    const partialMarker = reader.between(markerStart, reader.offset)
    return partialMarker !== '' && closes.some(each => each.startsWith(partialMarker))
  }

  /**
   * A call that can't be read ends with its closing marker, or with the text if there is none.
   *
   *   | <tool_call>{"name": "read_file" "path"}</tool_call>
   *                                     ^
   */
  function brokenJson(): State {
    const next = close === '' ? -1 : reader.text.slice(reader.at).search(closeStart)
    reader.at = next < 0 ? reader.text.length : reader.at + next
    if (next < 0) return brokenJson
    closer.begin()
    return brokenMarker()
  }

  function brokenMarker(): State {
    const match = closer.read(reader)
    if (match === undefined) return brokenMarker
    return match < 0 ? brokenJson : afterBroken
  }

  /** A marker before a quote or a backslash is part of a string: text that quotes a call must not end one. */
  function afterBroken(): State {
    const code = reader.text.charCodeAt(reader.at)
    return code === QUOTE || code === APOSTROPHE || code === BACKSLASH ? brokenJson : closeCall()
  }

  /** The text has ended. A call with complete JSON is a call, because servers strip the end marker. */
  function end(): State | undefined {
    if (reader.call === undefined && listEnded) {
      listEnded = false
      reader.goBackTo(jsonEnd)
      return reader.leave()
    }
    if (reader.call === undefined || reader.call.broken || !isComplete) return undefined
    if (!isToken(close) && dialect.closeOptional !== true) reader.call.repairOrFail('call-not-closed', reader.offset)
    return closeCall()
  }

  function unclosed(): ScanProblem {
    if (json.isOpen() || close === '') {
      return { code: 'SYNTAX_UNCLOSED_VALUE', message: "The text ends before the call's JSON ends." }
    }
    return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before \`${close}\`.` }
  }

  /** A name alone may be prose. */
  function cutOff(): string | undefined {
    return isNameFirst ? undefined : json.cutOff()
  }

  return { opener, openerAfter, unclosed, cutOff, end }
}

/** True for one of the model's tokens, which its server may have stripped. */
function isToken(close: string): boolean {
  return /^<[|｜]/.test(close)
}
