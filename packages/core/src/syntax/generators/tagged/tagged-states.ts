import type { ErrorCode } from '../../../source/error.ts'
import type { Reader } from '../../reader/reader.ts'
import type { State, States } from '../../reader/states.ts'
import { isToolName } from '../../tool-names.ts'
import { RawValue, type ValueWatch } from '../../value/raw-value.ts'
import { getTypes } from '../../value/schema.ts'
import { jsonBody } from '../json/json-body.ts'
import { fillMarker, type Marker, MarkerSet, toList } from '../marker.ts'
import { openWithId } from '../open-with-id.ts'
import type { MarkerPair, TaggedDialect } from '../tables.ts'
import {
  endsWithStrayClosing,
  GarbledTags,
  hasBrokenClosing,
  hasExtraBracket,
  hasExtraEscapeBracket,
  isBrokenEscape,
  repeatsOpener,
} from './garbled-tags.ts'
import { isHtmlElement } from './html-elements.ts'
import { type MarkerKind, MarkerList } from './marker-list.ts'
import { nestedValue } from './nested-value.ts'

/** `</parameter>` and `#1` make `</parameter#1>`. */
export function markClosing(closing: string, mark: string): string {
  return mark === '' ? closing : `${closing.slice(0, -1)}${mark}${closing.slice(-1)}`
}

export function taggedStates(dialect: TaggedDialect): (reader: Reader) => States {
  return reader => readerStates(reader, dialect)
}

function readerStates(reader: Reader, dialect: TaggedDialect): States {
  const { call, wrapper } = dialect
  const callOpens = toList(call.open)
  const callCloses = toList(call.close)
  const wrapperOpens = wrapper === undefined ? [] : toList(wrapper.open)
  const wrapperCloses = wrapper === undefined ? [] : toList(wrapper.close)
  const pairs = toList<MarkerPair>(dialect.parameter)
  const parameterOpens = pairs.flatMap(({ open }) => toList(open))
  const parameterCloses = pairs.flatMap(({ open, close }) => toList(open).map(() => toList(close)))
  const escapes = pairs.flatMap(({ open, escapes: each = false }) => toList(open).map(() => each))
  const isNamed = parameterCloses.some(closes => closes.some(close => close.includes('{name}')))
  const garbled = new GarbledTags(isNamed ? [] : parameterOpens)
  const bareOpens = dialect.wrapped === true ? [] : callOpens
  const openers = new MarkerSet([...bareOpens, ...wrapperOpens])
  const inWrapperMarks = new MarkerSet([...callOpens, ...wrapperCloses])
  /** The markers within a call. Those that contain the tool's name are rebuilt for each call. */
  let marks = callMarks('')
  const value = new RawValue()
  const body = jsonBody(reader, afterJson, ({ code, message }) => {
    fail(code, message)
    return stray
  })
  let name = ''
  let id: string | undefined
  /** The open parameter's name as written, with its mark, and what closes it. */
  let openName = ''
  let closing: readonly Marker[] = []
  let openerIndex = 0
  let isNested = false
  let isMarked = false
  let tagStart = 0
  let inWrapper = false
  /** A call in the current wrapper has ended. */
  let hasCall = false
  let hasJson = false
  let contentStart = 0
  let isJustClosed = false

  function callMarks(toolName: string) {
    const fill = (marker: Marker) => fillMarker(marker, { name: toolName })
    const closes = callCloses.map(fill)
    const keep = !callCloses.some(close => close.includes('{name}'))
    const groups: [MarkerKind, readonly Marker[]][] = [
      ['call close', closes],
      ['wrapper close', wrapperCloses.filter(close => !closes.includes(close))],
      ['parameter', parameterOpens],
    ]
    const watch: ValueWatch = {
      callClose: [...closes, ...wrapperCloses.filter(close => !closes.includes(close))],
      callOpen: dialect.namedAfterTools === true ? [`<${toolName}>`] : [...callOpens, ...wrapperOpens],
      parameterOpen: dialect.values === 'nested' ? [] : parameterOpens,
      parameterClose: isNamed && dialect.values !== 'nested' ? [...new Set(parameterCloses.flat())] : [],
      lacks: each => reader.call?.lacks(each) === true,
      isUnknown: () => reader.call?.isUnknown === true,
      repeats: each => reader.call?.repeats(each) === true,
      isNamed: isNamed,
    }
    const otherGroups: [MarkerKind, readonly Marker[]][] = [
      ['call open', dialect.namedAfterTools === true ? [] : callOpens.filter(open => !parameterOpens.includes(open))],
      ['wrapper open', wrapperOpens.filter(open => !callOpens.includes(open))],
      ['parameter close', isNamed ? [] : [...new Set(parameterCloses.flat())]],
    ]
    const first = new MarkerList(groups)
    return { first, inCall: new MarkerList([...groups, ...otherGroups]), watch, toolName, keep }
  }

  /**
   *   | Let me look. <tool_call>
   *                  ^
   */
  function opener(): State {
    begin()
    openers.begin()
    return openingTag()
  }

  function begin(): void {
    hasJson = false
    name = openName = ''
    inWrapper = hasCall = false
  }

  function openerAfter(prefix: string): State {
    begin()
    if (openers.beginWith(prefix, reader.offset)) return openingTag
    reader.goBackTo(reader.offset - prefix.length)
    return opener()
  }

  function openingTag(): State {
    const opener = openers.read(reader)
    if (opener === undefined) return openingTag
    if (opener < 0) return reader.notCall()
    if (opener < bareOpens.length) return beginCall(openers, bareOpens[opener])
    inWrapper = true
    contentStart = reader.offset
    return insideWrapper
  }

  /**
   *   | <tool_call>
   * > | <function=read_file>
   *     ^
   */
  function insideWrapper(): State {
    if (!reader.skipSpace()) return insideWrapper
    contentStart = reader.offset
    inWrapperMarks.begin()
    return tagInWrapper()
  }

  function tagInWrapper(): State {
    const mark = inWrapperMarks.read(reader)
    if (mark === undefined) return tagInWrapper
    if (mark >= 0 && mark < callOpens.length) return beginCall(inWrapperMarks, callOpens[mark])
    if (mark > 0 && hasCall) return reader.leave()
    if (hasCall || reader.toolNames.length === 0 || !reader.isLastTry) return reader.notCall(contentStart)
    reader.goBackTo(contentStart)
    reader.word = ''
    return wordInWrapper()
  }

  /**
   * The wrapper holds something else. If that begins with a tool's name, it is a call in the wrong form.
   *
   *   | <tool_call>read_file
   *                ^
   */
  function wordInWrapper(): State {
    if (!reader.readName(true)) return wordInWrapper
    const { word } = reader
    if (reader.tool(word) === undefined) return reader.notCall(contentStart)
    name = word
    return wrongForm()
  }

  /** A known tool's name is in the right place, but the text doesn't continue like a call. */
  function wrongForm(): State {
    const otherState = openWithId(reader, name, id)
    if (otherState !== undefined) return otherState
    marks = callMarks(name)
    tagStart = reader.offset
    fail('SYNTAX_STRAY_TEXT', `The call to \`${name}\` is malformed.`)
    return stray
  }

  function beginCall(markers: MarkerSet, open = ''): State {
    const toolName = markers.name.replace(/\/$/, '')
    if (!isToolName(toolName)) return reader.notCall()
    if (dialect.namedAfterTools === true && !mayBeTool(toolName)) return reader.notCall()
    name = toolName
    id = markers.id === '' ? undefined : markers.id
    if (!marks.keep && marks.toolName !== name) marks = callMarks(name)
    const closesItself = toolName !== markers.name || open.endsWith('/>') || /\/\s*$/.test(markers.attributes)
    if (!closesItself) return beforeFirst
    const isAny = reader.toolNames.length === 0 && dialect.namedAfterTools !== true
    return isAny || reader.tool(name) !== undefined ? emptyCall : reader.notCall()
  }

  /** The tag closes itself: `<list_files/>`. A tag named after its tool applies only if that tool is known. */
  function emptyCall(): State {
    tagStart = reader.offset
    return openWithId(reader, name, id) ?? endOfCall()
  }

  /**
   * The tag is named after a known tool or, if no tools are known, isn't an HTML element. With `knownOnly`, it must also
   * begin the reply.
   */
  function mayBeTool(tagName: string): boolean {
    if (dialect.knownOnly === true && (!reader.isFirst || isHtmlElement(tagName))) return false
    if (dialect.knownOnly === true || reader.toolNames.length > 0) return reader.tool(tagName) !== undefined
    return !isHtmlElement(tagName)
  }

  /**
   * Only text that continues like a call is one, so a mention in prose swallows nothing.
   *
   *   | <function=read_file>
   * > | <parameter=path>
   *     ^
   */
  function beforeFirst(): State {
    if (!reader.skipSpace()) return beforeFirst
    tagStart = reader.offset
    marks.first.begin()
    return firstTag()
  }

  function firstTag(): State {
    const kind = marks.first.read(reader)
    if (kind === undefined) return firstTag
    if (kind === 'none' && dialect.jsonBody === true && reader.between(tagStart, tagStart + 1) === '{') {
      reader.goBackTo(tagStart)
      return openWithId(reader, name, id) ?? body.begin()
    }
    if (kind === 'none') {
      if ((!inWrapper && dialect.certain !== true) || reader.tool(name) === undefined || !reader.isLastTry)
        return reader.notCall(tagStart)
      reader.goBackTo(tagStart)
      return wrongForm()
    }
    const otherState = openWithId(reader, name, id)
    if (otherState !== undefined) return otherState
    if (kind === 'parameter') return beginParameter(marks.first)
    return kind === 'call close' ? endOfCall() : endOfWrapper()
  }

  /** After JSON arguments, only the end of the call may follow. */
  function afterJson(): State {
    hasJson = true
    if (!reader.skipSpace()) return afterJson
    tagStart = reader.offset
    marks.inCall.begin()
    return tagAfterJson()
  }

  function tagAfterJson(): State {
    const kind = marks.inCall.read(reader)
    if (kind === undefined) return tagAfterJson
    if (kind === 'call close') return endOfCall()
    if (kind === 'wrapper close') return endOfWrapper()
    fail('SYNTAX_STRAY_TEXT', `Something follows the JSON of \`${name}\`.`)
    reader.goBackTo(tagStart)
    return betweenParameters
  }

  /**
   *   | </parameter>
   * > | <parameter=line>
   *     ^
   */
  function betweenParameters(): State {
    if (!reader.skipSpace()) return betweenParameters
    tagStart = reader.offset
    marks.inCall.begin()
    return tag()
  }

  function tag(): State {
    const kind = marks.inCall.read(reader)
    if (kind === undefined) return tag
    const isDoubledClosing = isJustClosed && kind === 'parameter close'
    isJustClosed = false
    if (isDoubledClosing && reader.call?.repair('doubled-closing') === true) return betweenParameters
    switch (kind) {
      case 'parameter':
        return beginParameter(marks.inCall)
      case 'call close':
        return endOfCall()
      case 'wrapper close':
        return endOfWrapper()
      case 'call open':
      case 'wrapper open':
        fail('SYNTAX_NESTED_CALL', `A call to \`${marks.inCall.name || 'a tool'}\` is inside the call to \`${name}\`.`)
        return betweenParameters
      case 'parameter close':
        fail('SYNTAX_WRONG_CLOSING', `\`${getClosing()}\` closes a parameter that is not open.`)
        return betweenParameters
      default:
        fail('SYNTAX_STRAY_TEXT', `There is text between the parameters of \`${name}\`.`)
        return stray
    }
  }

  function beginParameter({ name: tagName, attributes, index }: MarkerList): State {
    const closesItself = tagName.endsWith('/') || (!isNamed && /\/\s*$/.test(attributes))
    const [key = '', ...rest] = tagName.replace(/\/$/, '').split('#')
    if (closesItself && rest.length === 0) return selfClosingParameter(key, index)
    const mark = rest.map(each => `#${each}`).join('')
    openName = tagName
    openerIndex = index
    const closes = parameterCloses[index] ?? []
    closing =
      mark === '' && !isNamed ? closes : closes.map(close => markClosing(fillMarker(close, { name: key }), mark))
    if (rest.length > 1) fail('SYNTAX_STRAY_TEXT', `\`${tagName}\` is not the name of a parameter.`)
    isNested = mark === '' && mayHaveTags(key)
    const { call: open } = reader
    if (isNested) open?.beginLate(key, tagStart)
    else open?.begin(key, tagStart, dialect.attributes?.read(attributes))
    const watched = mark === '' && open?.broken !== true && escapes[index] !== true
    value.begin(reader, closing, watched ? marks.watch : undefined)
    return parameterValue
  }

  /** `<invoke/>` is a parameter only if the schema has it: otherwise it may be a wrong `</invoke>`. */
  function selfClosingParameter(key: string, index: number): State {
    const closes = isNamed ? (parameterCloses[index] ?? []).map(close => fillMarker(close, { name: key })) : []
    const callClose = closes.find(close => marks.watch.callClose.includes(close))
    if (callClose !== undefined && reader.call?.lacks(key) !== true) {
      fail('SYNTAX_WRONG_CLOSING', `\`<${key}/>\` is written where \`${callClose}\` should be.`)
      return betweenParameters
    }
    reader.call?.begin(key, tagStart)
    reader.call?.end('')
    return betweenParameters
  }

  /** Tags in the value may be its items: not if the schema expects text or, without a token, allows it. */
  function mayHaveTags(key: string): boolean {
    const schema = reader.call?.getSchema(key)
    const types = schema === undefined ? undefined : getTypes(schema)
    if (dialect.values === 'nested') return types?.size !== 1 || !types.has('string')
    if (dialect.namedAfterTools !== true || types?.has('string') === true) return false
    return types?.has('array') === true || types?.has('object') === true
  }

  /**
   *   | <parameter=content>
   * > | fn main() {}
   *        ^
   *   | </parameter>
   */
  function parameterValue(): State {
    const end = value.read(reader)
    if (end === undefined) return parameterValue
    if (end === 'doubtful') {
      const code = reader.call?.broken === true ? 'SYNTAX_WRONG_CLOSING' : 'SYNTAX_NESTED_PARAMETER'
      fail(
        code,
        `The value of \`${openName}\` contains tags that are not part of a complete call; close it with \`${getClosing()}\`.`,
      )
      openName = ''
      return betweenParameters
    }
    endParameter(end === 'cut')
    isJustClosed = end === 'closed'
    return betweenParameters
  }

  function endParameter(isCut: boolean): void {
    const { call: open } = reader
    const [key = '', mark] = openName.split('#')
    isMarked = mark !== undefined
    openName = ''
    if (isCut) open?.repairOrFail('parameter-not-closed', reader.offset)
    const text = value.text(reader)
    if (isCut && endsWithStrayClosing(text))
      fail('SYNTAX_WRONG_CLOSING', `The value of \`${key}\` is not closed with \`${getClosing()}\`.`)
    checkTags(key, text)
    const hasToken = dialect.values === 'nested' && !isMarked
    const nested =
      isNested || hasToken
        ? nestedValue(text, toList(parameterOpens[openerIndex] ?? ''), open?.getSchema(key))
        : { text }
    if (isNested) open?.endLate(nested)
    else {
      if (!('text' in nested)) fail('SYNTAX_NESTED_PARAMETER', `The value of \`${key}\` is text, but contains tags.`)
      open?.end(text)
    }
  }

  /** Reports broken or doubled tags in a value that no mark or escape protects. */
  function checkTags(key: string, text: string): void {
    if (isMarked) return
    if (escapes[openerIndex] === true) {
      if (hasExtraEscapeBracket(text, value.touchesTags))
        fail(
          'SYNTAX_NESTED_PARAMETER',
          `The escape around \`${key}\` has one bracket too many; put a value that begins or ends with a bracket on its own lines.`,
        )
      return
    }
    if (escapes.includes(true) && isBrokenEscape(text))
      fail('SYNTAX_NESTED_PARAMETER', `The escape around the value of \`${key}\` is broken.`)
    else if (repeatsOpener(parameterOpens[openerIndex] ?? '', key, text))
      fail('SYNTAX_NESTED_PARAMETER', `The opening tag of \`${key}\` is written twice.`)
    else if (hasExtraBracket(text, value.touchesTags, closing[0]))
      fail(
        'SYNTAX_NESTED_PARAMETER',
        `The tags around \`${key}\` have one bracket too many; put a value that begins or ends with a bracket on its own lines.`,
      )
    else if (hasBrokenClosing(text, getClosing()))
      fail('SYNTAX_WRONG_CLOSING', `The value of \`${key}\` contains a broken \`${getClosing()}\`.`)
    else if (garbled.findNames(text).some(each => reader.call?.lacks(each) === true))
      fail('SYNTAX_NESTED_PARAMETER', `The value of \`${key}\` contains another parameter's broken tag.`)
  }

  function endOfCall(): State {
    hasJson = false
    name = ''
    hasCall = true
    return wrapper === undefined ? reader.close() : reader.closeWithin(insideWrapper)
  }

  /** The wrapper ends before the call's closing tag, so the call ends too. */
  function endOfWrapper(): State {
    reader.call?.repairOrFail('call-not-closed', tagStart)
    name = ''
    return reader.close()
  }

  /**
   * A broken call is read by the same rules, so that its values still hide what they contain.
   *
   *   | <function=read_file><parameter=path>a</parameter> and then </function>
   *                                                       ^
   */
  function stray(): State {
    const at = reader.text.slice(reader.at).search(tagFirstCharacter)
    reader.at = at < 0 ? reader.text.length : reader.at + at
    if (at < 0) return stray
    tagStart = reader.offset
    marks.inCall.begin()
    return strayTag()
  }

  function strayTag(): State {
    const kind = marks.inCall.read(reader)
    if (kind === undefined) return strayTag
    if (kind === 'none') {
      reader.goBackTo(tagStart + 1)
      return stray
    }
    if (kind === 'parameter') return beginParameter(marks.inCall)
    return kind === 'call close' || kind === 'wrapper close' ? endOfCall() : betweenParameters
  }

  function fail(code: ErrorCode, message: string): void {
    reader.call?.fail(code, message, tagStart)
  }

  function getClosing(): string {
    return closing[0] ?? ''
  }

  function end(): State | undefined {
    if (hasJson && reader.call?.broken === false) return endOfWrapper()
    if (reader.call === undefined || reader.call.broken || openName === '' || !value.endsBefore(reader))
      return undefined
    endParameter(true)
    return betweenParameters
  }

  /** The text ends within the call: it was cut off, or a wrong tag in the last parameter swallowed the rest. */
  function unclosed(source: string): { code: ErrorCode; message: string } {
    const callClose = fillMarker(callCloses[0] ?? '', { name })
    if (openName === '') return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before \`${callClose}\`.` }
    const open = fillMarker(parameterOpens[openerIndex] ?? '', { name: openName })
    const start = source.lastIndexOf(open)
    const inside = start < 0 ? '' : source.slice(start + open.length)
    const next = inside.indexOf(fillMarker(parameterOpens[0] ?? '', { name: '' }).replace(/["\s]*>?$/, ''))
    if (next < 0 || !inside.includes(callClose)) {
      return { code: 'SYNTAX_UNCLOSED_VALUE', message: `The text ends before \`${getClosing()}\`.` }
    }
    const wrong = inside.slice(next).split('\n', 1)[0]?.slice(0, 80)
    return { code: 'SYNTAX_NESTED_PARAMETER', message: `\`${wrong}\` is written where \`${getClosing()}\` should be.` }
  }

  function cutOff(): string | undefined {
    return inWrapper && name !== '' ? name : undefined
  }

  return { opener, openerAfter, unclosed, cutOff, end }
}

const tagFirstCharacter = /[<\]]/
