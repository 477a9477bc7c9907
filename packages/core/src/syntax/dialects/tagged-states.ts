import type { ErrorCode } from '../../source/error.ts'
import { isName } from '../names.ts'
import { RawValue } from '../raw-value.ts'
import type { Reader, State, States } from '../reader.ts'
import { openWithId } from './in-band-id.ts'
import { fillMarker, MarkerSet } from './marker.ts'
import type { TaggedDialect } from './tables.ts'

/** A closing tag with a mark: `</parameter>` and `#1` make `</parameter#1>`. */
export function markClosing(closing: string, mark: string): string {
  return `${closing.slice(0, -1)}${mark}${closing.slice(-1)}`
}

/** The states of a reader of one dialect of tagged arguments. */
export function taggedStates(dialect: TaggedDialect): (reader: Reader) => States {
  return reader => readerStates(reader, dialect)
}

/** The order of the markers that a call can go on with. */
const PARAMETER = 0
const CALL_CLOSE = 1
const CALL_OPEN = 2
const PARAMETER_CLOSE = 3

function readerStates(reader: Reader, { call, parameter, wrapper }: TaggedDialect): States {
  const around = wrapper === undefined ? [] : [wrapper]
  const openers = new MarkerSet([call.open, ...around.map(({ open }) => open)])
  const behindCall = new MarkerSet([call.open, ...around.map(({ close }) => close)])
  const first = new MarkerSet([parameter.open, call.close])
  const inCall = new MarkerSet([
    parameter.open,
    call.close,
    call.open,
    parameter.close,
    ...around.map(({ close }) => close),
  ])
  const value = new RawValue()
  /** The name and the id of the tool that opens or is open. */
  let name = ''
  let id: string | undefined
  /** The open parameter as it was opened, with its mark, and what closes it. */
  let opened = ''
  let closing = ''
  let tagStart = 0
  let inWrapper = false
  /** A call has ended in what is around it. */
  let hasCall = false

  /**
   *   | Let me look. <tool_call>
   *                  ^
   */
  function opener(): State {
    name = opened = ''
    inWrapper = hasCall = false
    openers.begin()
    return openingTag()
  }

  function openingTag(): State {
    const found = openers.read(reader)
    if (found === undefined) return openingTag
    if (found < 0) return reader.notCall()
    if (found === 0) return beginCall(openers)
    inWrapper = true
    return insideWrapper
  }

  /**
   *   | <tool_call>
   * > | <function=read_file>
   *     ^
   */
  function insideWrapper(): State {
    if (!reader.skipSpace()) return insideWrapper
    behindCall.begin()
    return tagInWrapper()
  }

  function tagInWrapper(): State {
    const found = behindCall.read(reader)
    if (found === undefined) return tagInWrapper
    if (found === 0) return beginCall(behindCall)
    return found > 0 && hasCall ? reader.leave() : reader.notCall()
  }

  function beginCall(found: MarkerSet): State {
    if (!isName(found.name)) return reader.notCall()
    name = found.name
    id = found.id === '' ? undefined : found.id
    return beforeFirst
  }

  /**
   * Only what goes on like a call is one, so that a mention in prose swallows nothing.
   *
   *   | <function=read_file>
   * > | <parameter=path>
   *     ^
   */
  function beforeFirst(): State {
    if (!reader.skipSpace()) return beforeFirst
    tagStart = reader.offset
    first.begin()
    return firstTag()
  }

  function firstTag(): State {
    const found = first.read(reader)
    if (found === undefined) return firstTag
    if (found < 0) return reader.notCall()
    const elsewhere = openWithId(reader, name, id)
    if (elsewhere !== undefined) return elsewhere
    return found === PARAMETER ? beginParameter(first) : endOfCall()
  }

  /**
   *   | </parameter>
   * > | <parameter=line>
   *     ^
   */
  function betweenParameters(): State {
    if (!reader.skipSpace()) return betweenParameters
    tagStart = reader.offset
    inCall.begin()
    return tag()
  }

  function tag(): State {
    const found = inCall.read(reader)
    switch (found) {
      case undefined:
        return tag
      case PARAMETER:
        return beginParameter(inCall)
      case CALL_CLOSE:
        return endOfCall()
      case CALL_OPEN:
        fail('SYNTAX_NESTED_CALL', `A call of \`${inCall.name}\` stands inside the call of \`${name}\`.`)
        return betweenParameters
      case PARAMETER_CLOSE:
        fail('SYNTAX_WRONG_CLOSING', `\`${parameter.close}\` closes a parameter that is not open.`)
        return betweenParameters
      case -1:
        fail('SYNTAX_STRAY_TEXT', `There is text between the parameters of \`${name}\`.`)
        return stray
      default:
        fail('SYNTAX_WRONG_CLOSING', `\`${wrapper?.close}\` stands where \`${call.close}\` should be.`)
        return reader.close()
    }
  }

  function beginParameter(found: MarkerSet): State {
    const [key = '', ...marks] = found.name.split('#')
    const mark = marks.map(each => `#${each}`).join('')
    opened = found.name
    closing = markClosing(parameter.close, mark)
    if (marks.length > 1) fail('SYNTAX_STRAY_TEXT', `\`${found.name}\` is not the name of a parameter.`)
    reader.call?.begin(key, tagStart)
    value.begin(reader, closing)
    return parameterValue
  }

  /**
   *   | <parameter=content>
   * > | fn main() {}
   *        ^
   *   | </parameter>
   */
  function parameterValue(): State {
    if (!value.read(reader)) return parameterValue
    opened = ''
    reader.call?.end(value.text(reader))
    return betweenParameters
  }

  function endOfCall(): State {
    name = ''
    hasCall = true
    return wrapper === undefined ? reader.close() : reader.closeWithin(insideWrapper)
  }

  /**
   * A broken call is read on by the same rules, so that its values still hide what they hold.
   *
   *   | <function=read_file><parameter=path>a</parameter> and then </function>
   *                                                       ^
   */
  function stray(): State {
    const next = reader.text.indexOf('<', reader.at)
    reader.at = next < 0 ? reader.text.length : next
    return next < 0 ? stray : betweenParameters
  }

  function fail(code: ErrorCode, message: string): void {
    reader.call?.fail(code, message, tagStart)
  }

  /** The text ends within the call: cut off, or a tag of the last parameter is wrong, so that nothing behind it counts. */
  function unclosed(source: string): { code: ErrorCode; message: string } {
    if (opened === '') return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before \`${call.close}\`.` }
    const open = fillMarker(parameter.open, { name: opened })
    const start = source.lastIndexOf(open)
    const inside = start < 0 ? '' : source.slice(start + open.length)
    const next = inside.indexOf(fillMarker(parameter.open, { name: '' }).replace(/["\s]*>?$/, ''))
    if (next < 0 || !inside.includes(call.close)) {
      return { code: 'SYNTAX_UNCLOSED_VALUE', message: `The text ends before \`${closing}\`.` }
    }
    const wrong = inside.slice(next).split('\n', 1)[0]?.slice(0, 80)
    return { code: 'SYNTAX_NESTED_PARAMETER', message: `\`${wrong}\` stands where \`${closing}\` should be.` }
  }

  function cutOff(): string | undefined {
    return inWrapper && name !== '' ? name : undefined
  }

  return { opener, unclosed, cutOff }
}
