import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { quoteBetween } from '../teach/quote-result.ts'
import { checkCall } from '../value/check-call.ts'
import { getHalves } from '../value/raw-value.ts'
import type { WrittenValue } from '../value/typed-value.ts'
import { writeParameters } from '../value/write-value.ts'
import { checkTable } from './check-table.ts'
import { createDialect } from './create-dialect.ts'
import type { Dialect } from './dialect.ts'
import { fillMarker, getFirstCharacters, getFixedStart, toList } from './marker.ts'
import type { MarkerPair, TaggedDialect } from './tables.ts'
import {
  GarbledTags,
  getLastTag,
  hasBrokenClosing,
  hasExtraBracket,
  hasExtraEscapeBracket,
  isBrokenEscape,
} from './tagged/garbled-tags.ts'
import { markClosing, taggedStates } from './tagged/tagged-states.ts'

export function taggedDialect(dialect: TaggedDialect): Dialect {
  checkTable(dialect, ['call', 'parameter', 'result'])
  const { wrapper } = dialect
  const pairs = toList<MarkerPair>(dialect.parameter)
  const callOpens = toList(dialect.call.open)
  const [callOpen = ''] = callOpens
  const [callClose = ''] = toList(dialect.call.close)
  const wrapperOpens = wrapper === undefined ? [] : toList(wrapper.open)
  /** What a value must not contain, because it would be taken for the end of the value. */
  const doubtfulStarts = [
    ...toList(dialect.call.close),
    ...(wrapper === undefined ? [] : toList(wrapper.close)),
    ...pairs.flatMap(({ open }) => toList(open)),
    ...pairs.flatMap(({ open }) => toList(open).map(getLastTag)),
  ].map(getFixedStart)
  const openers = [...(dialect.wrapped === true ? [] : callOpens), ...wrapperOpens]
  const marks = getFirstCharacters(openers)
  const garbled = new GarbledTags(pairs.flatMap(({ open }) => toList(open)))
  return createDialect(dialect, {
    opening: {
      marks: marks.replaceAll(/[a-z]/gi, ''),
      where: 'anywhere',
      lineMarks: marks.replaceAll(/[^a-z]/gi, ''),
      ...defined({ liveFences: dialect.liveFences, liveIndents: dialect.liveIndents }),
    },
    states: taggedStates(dialect),
    format,
    formatResult: result => quoteBetween(result, dialect.result),
    resultStart: dialect.result[0],
    openers,
  })

  function format(call: CallToWrite, tool?: ToolDefinition): string {
    const input = (checkCall(call).input ?? {}) as Record<string, unknown>
    const lines = writeParameters(call, tool, 'json').flatMap(({ key, written }) =>
      toTexts(input[key], written).map(text => formatParameter(key, text, input[key])),
    )
    const places = { name: call.toolName, id: call.toolCallId }
    lines.unshift(fillMarker(callOpen, places).trimEnd())
    lines.push(fillMarker(callClose, places))
    if (wrapper === undefined) return lines.join('\n')
    return [fillMarker(wrapperOpens[0] ?? '', places), ...lines, toList(wrapper.close)[0]].join('\n')
  }

  /** A text that its tag marks as text is never read as anything else, so it needs no quotes. */
  function toTexts(value: unknown, source: WrittenValue): readonly string[] {
    const { attributes } = dialect
    if (typeof value === 'string' && attributes?.read(attributes.write(value)) === 'string') return [value]
    return 'text' in source ? [source.text] : source.items
  }

  function formatParameter(key: string, text: string, value: unknown): string {
    const escaping = pairs.find(({ escapes }) => escapes === true)
    const isDoubtful =
      doubtfulStarts.some(start => text.includes(start)) ||
      garbled.findNames(text).length > 0 ||
      (escaping !== undefined && isBrokenEscape(text))
    const closing = ({ close }: MarkerPair, mark: string) =>
      markClosing(fillMarker(toList(close)[0] ?? '', { name: key }), mark)
    let [pair] = pairs
    let mark = ''
    for (let n = 1; pair !== undefined; n++) {
      const close = closing(pair, mark)
      const isHalf = getHalves(close).some(half => text.trimEnd().endsWith(half))
      if (!text.includes(close) && !isHalf && !hasBrokenClosing(text, close) && (mark !== '' || !isDoubtful)) break
      mark = `#${n}`
    }
    if (mark !== '' && escaping !== undefined && !text.includes(getFixedStart(closing(escaping, '')))) {
      pair = escaping
      mark = ''
    }
    if (pair === undefined) return ''
    const touches = { start: true, end: true }
    const isPlain =
      !/[\r\n]/.test(text) &&
      !hasExtraBracket(text, touches, getFixedStart(closing(pair, mark))) &&
      !(pair === escaping && hasExtraEscapeBracket(text, touches))
    const layout = dialect.inline && isPlain ? '' : '\n'
    const attributes = dialect.attributes?.write(value) ?? ''
    const open = fillMarker(toList(pair.open)[0] ?? '', { name: key + mark, attributes })
    return `${open}${layout}${text}${layout}${closing(pair, mark)}`
  }
}
