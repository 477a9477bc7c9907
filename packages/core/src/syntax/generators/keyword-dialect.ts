import type { CallToWrite } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { quoteBetween } from '../teach/quote-result.ts'
import { refuse } from '../value/write-value.ts'
import { checkTable } from './check-table.ts'
import { createDialect } from './create-dialect.ts'
import type { Dialect } from './dialect.ts'
import { inputJson } from './json/input-json.ts'
import { keywordStates } from './keyword-states.ts'
import { fillMarker, getFirstCharacters, type Marker } from './marker.ts'
import type { KeywordDialect } from './tables.ts'

export function keywordDialect(dialect: KeywordDialect): Dialect {
  checkTable(dialect, ['open', 'close', 'call', 'write', 'result'])
  const [beginArguments, assign, endArguments] = dialect.call
  const opens = dialect.open.map(entry => (typeof entry === 'string' ? { mark: entry, where: 'anywhere' } : entry))
  const firsts = (list: readonly Marker[]) => getFirstCharacters(list.map(mark => mark || '['))
  const placed = opens.filter(({ where }) => where !== 'anywhere').map(({ mark }) => mark)
  return createDialect(dialect, {
    opening: {
      marks: firsts(opens.filter(({ where }) => where === 'anywhere').map(({ mark }) => mark)),
      where: 'anywhere',
      ...defined({
        lineMarks: placed.length === 0 ? undefined : firsts(placed),
        liveIndents: dialect.liveIndents,
        liveCode: dialect.liveCode,
      }),
    },
    states: keywordStates(dialect),
    format,
    formatResult: result => quoteBetween(result, dialect.result),
    resultStart: dialect.result[0],
    openers: opens.map(({ mark }) => mark),
  })

  function format(call: CallToWrite): string {
    inputJson(call)
    const input = Object.entries((call.input ?? {}) as object).filter(([, value]) => value !== undefined)
    const list = input
      .map(([key, value]) => `${key}${assign}${formatLiteral(value)}`)
      .join(dialect.delimiter ? ',' : ', ')
    const [before, after] = dialect.write
    const open = fillMarker(before, { name: call.toolName })
    const toolName = before.includes('{name}') ? '' : call.toolName
    return `${open}${toolName}${beginArguments}${list}${endArguments}${after}`
  }

  function formatLiteral(value: unknown): string {
    if (typeof value === 'string') {
      const { delimiter } = dialect
      if (delimiter !== undefined && !value.includes(delimiter.charAt(0)) && !value.startsWith(delimiter.slice(-1)))
        return `${delimiter}${value}${delimiter}`
      return JSON.stringify(value)
    }
    if (Array.isArray(value)) return `[${value.map(formatLiteral).join(', ')}]`
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).filter(([, member]) => member !== undefined)
      return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${formatLiteral(member)}`).join(', ')}}`
    }
    if (dialect.words === 'python') {
      if (value === true) return 'True'
      if (value === false) return 'False'
      if (value === null || value === undefined) return 'None'
    }
    if (typeof value === 'number') return formatNumber(value)
    return JSON.stringify(value ?? null) ?? refuse("it has a value that JSON can't represent")
  }
}

/** The digits of an inexact number would be read as another number. */
function formatNumber(value: number): string {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)
}
