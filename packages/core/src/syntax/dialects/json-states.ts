import { isName } from '../names.ts'
import type { Reader, State, States } from '../reader.ts'
import { readCallJson } from './json-call.ts'
import type { JsonProblem } from './json-scanner.ts'
import { MarkerSet } from './marker.ts'
import type { JsonDialect } from './tables.ts'

const QUOTE = 34
const APOSTROPHE = 39
const COMMA = 44
const SEMICOLON = 59
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The states of a reader of one dialect of markers and JSON. */
export function jsonStates(dialect: JsonDialect): (reader: Reader) => States {
  return reader => readerStates(reader, dialect)
}

function readerStates(reader: Reader, dialect: JsonDialect): States {
  const { open, close, wrapper } = dialect
  const openers = new MarkerSet([...open, ...(wrapper === undefined ? [] : [wrapper.open])])
  const behindCall = new MarkerSet([...open, ...(wrapper === undefined ? [] : [wrapper.close])])
  const closers = new MarkerSet([close, ...open, ...(wrapper === undefined ? [] : [wrapper.close])])
  const closer = new MarkerSet([close])
  const json = readCallJson(reader, dialect, endOfCall, brokenJson)
  let inList = false
  /** A call has ended in what is around it. */
  let hasCall = false
  /** Where the marker begins that is being read behind the call's JSON. */
  let markerStart = 0

  /**
   *   | Let me look. <tool_call>
   *                  ^
   */
  function opener(): State {
    inList = hasCall = false
    json.begin()
    openers.begin()
    return openingMarker()
  }

  function openingMarker(): State {
    const found = openers.read(reader)
    if (found === undefined) return openingMarker
    if (found < 0) return reader.notCall()
    return found < open.length ? beginBody(openers) : insideWrapper
  }

  /**
   *   | <|tool_calls_begin|><|tool_call_begin|>
   *                         ^
   */
  function insideWrapper(): State {
    if (!reader.skipSpace()) return insideWrapper
    behindCall.begin()
    return markerInWrapper()
  }

  function markerInWrapper(): State {
    const found = behindCall.read(reader)
    if (found === undefined) return markerInWrapper
    if (found < 0) return reader.notCall()
    if (found < open.length) return beginBody(behindCall)
    return hasCall ? reader.leave() : reader.notCall()
  }

  function beginBody({ name, id }: MarkerSet): State {
    const named = name === '' && id !== '' ? (dialect.nameInId?.exec(id)?.groups?.name ?? '') : name
    inList = false
    json.begin({ name: named, ...(id === '' ? {} : { id }) })
    return named === '' || isName(named) ? body : noBody
  }

  /** The marker has a name that cannot be one. */
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
    if (json.isNamed) return code === OPEN_BRACE ? json.namedArguments() : reader.notCall()
    if (code === OPEN_BRACKET && !inList) {
      inList = true
      reader.at++
      return body
    }
    if (code !== OPEN_BRACE) return reader.notCall()
    reader.at++
    return json.object
  }

  function endOfCall(): State {
    if (!inList) return close === '' ? closeCall() : behindJson
    hasCall = true
    json.begin()
    return reader.closeWithin(betweenItems)
  }

  /** The call is complete; where the dialect has something around its calls, another may follow there. */
  function closeCall(): State {
    hasCall = true
    json.begin()
    return wrapper === undefined ? reader.close() : reader.closeWithin(insideWrapper)
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
      json.begin({ certain: true })
      return json.object
    }
    inList = false
    return close === '' ? (wrapper === undefined ? reader.leave() : insideWrapper) : behindList
  }

  function behindList(): State {
    if (!reader.skipSpace()) return behindList
    closer.begin()
    return listCloser()
  }

  function listCloser(): State {
    const found = closer.read(reader)
    if (found === undefined) return listCloser
    if (found < 0) return reader.notCall()
    return wrapper === undefined ? reader.leave() : insideWrapper
  }

  /**
   *   | {"name": "read_file", "arguments": {"path": "a"}}</tool_call>
   *                                                      ^
   */
  function behindJson(): State {
    if (!reader.skipSpace()) return behindJson
    const code = reader.text.charCodeAt(reader.at)
    if (code === OPEN_BRACE && !json.isNamed) {
      json.begin()
      return reader.closeWithin(body)
    }
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET || code === COMMA || code === SEMICOLON) {
      reader.call?.repaired.add('a character behind the JSON')
      reader.at++
      return behindJson
    }
    markerStart = reader.offset
    closers.begin()
    return closingMarker()
  }

  function closingMarker(): State {
    const found = closers.read(reader)
    if (found === undefined) return closingMarker
    if (found < 0)
      return json.fail({ code: 'SYNTAX_STRAY_TEXT', message: `There is text between the JSON and \`${close}\`.` })
    if (found === 0) return closeCall()
    reader.call?.repaired.add('a missing end of the call')
    if (found > open.length) return reader.close()
    return reader.closeWithin(beginBody(closers), reader.offset - markerStart)
  }

  /**
   * A call that cannot be read ends with its closing marker, or with the text where it has none.
   *
   *   | <tool_call>{"name": "read_file" "path"}</tool_call>
   *                                     ^
   */
  function brokenJson(): State {
    const next = close === '' ? -1 : reader.text.indexOf(close.charAt(0), reader.at)
    reader.at = next < 0 ? reader.text.length : next
    if (next < 0) return brokenJson
    closer.begin()
    return brokenMarker()
  }

  function brokenMarker(): State {
    const found = closer.read(reader)
    if (found === undefined) return brokenMarker
    return found < 0 ? brokenJson : behindBroken
  }

  /** A marker before a quote or a backslash is part of a string: what quotes a call must not end one. */
  function behindBroken(): State {
    const code = reader.text.charCodeAt(reader.at)
    return code === QUOTE || code === APOSTROPHE || code === BACKSLASH ? brokenJson : closeCall()
  }

  function unclosed(): JsonProblem {
    if (json.isOpen() || close === '') {
      return { code: 'SYNTAX_UNCLOSED_VALUE', message: 'The text ends before the JSON of the call does.' }
    }
    return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before \`${close}\`.` }
  }

  return { opener, unclosed, cutOff: json.cutOff }
}
