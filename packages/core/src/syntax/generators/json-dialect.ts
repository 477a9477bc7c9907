import type { CallToWrite, ToolResult } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { formatOutput, getStatus } from '../teach/quote-result.ts'
import { checkCall } from '../value/check-call.ts'
import { checkTable } from './check-table.ts'
import { createDialect } from './create-dialect.ts'
import type { Dialect } from './dialect.ts'
import { inputJson } from './json/input-json.ts'
import { jsonStates } from './json/json-states.ts'
import { getFirstCharacters, getFixedStart, type Marker, toList } from './marker.ts'
import type { JsonDialect } from './tables.ts'

/** Matches the first character of any known dialect's opener. */
const openers =
  /<(?=[|｜]|(?:\w+:)?(?:tool|function|invoke)|code>|TOOLCALL>|\w+_(?:tool|function)_call>)|\[(?=TOOL_CALLS\]|[\w.-]+\()|\](?=<\]minimax)|>(?=>>)|\^(?=\^\^)|f(?=unctools)|A(?=ction:)/g

export function jsonDialect(dialect: JsonDialect): Dialect {
  checkTable(dialect, ['open', 'close', 'keys', 'write', 'result'])
  const wrapperOpens = dialect.wrapper === undefined ? [] : toList(dialect.wrapper.open)
  const opens = dialect.open.map(entry => (typeof entry === 'string' ? { mark: entry, where: 'anywhere' } : entry))
  const markers = [...opens.map(({ mark }) => mark), ...wrapperOpens]
  const firsts = (list: readonly Marker[]) => getFirstCharacters(list.flatMap(getStarts))
  const anywhere = opens.filter(({ where }) => where === 'anywhere').map(({ mark }) => mark)
  const placed = opens.filter(({ where }) => where !== 'anywhere').map(({ mark }) => mark)
  return createDialect(dialect, {
    opening: {
      marks: firsts([...anywhere, ...wrapperOpens]),
      where: dialect.where ?? 'anywhere',
      ...defined({
        lineMarks: placed.length === 0 ? undefined : firsts(placed),
        liveFences: dialect.liveFences,
        liveIndents: dialect.liveIndents,
      }),
    },
    states: jsonStates(dialect),
    format,
    formatResult,
    resultStart: dialect.result.write,
    openers: markers,
  })

  function format(call: CallToWrite): string {
    const input = inputJson(call)
    const { toolName, toolCallId = '' } = call
    const [nameKey = 'name'] = dialect.keys.name
    const [argumentsKey = 'arguments'] = dialect.keys.arguments
    const places: Record<string, string> = {
      name: toolName,
      id: toolCallId,
      arguments: input,
      call:
        dialect.nameAsKey === true
          ? `{${JSON.stringify(toolName)}: ${input}}`
          : `{${JSON.stringify(nameKey)}: ${JSON.stringify(toolName)}, ${JSON.stringify(argumentsKey)}: ${input}}`,
    }
    return dialect.write.replaceAll(/\{(name|id|arguments|call)\}/g, (_, place: string) => places[place] ?? '')
  }

  function formatResult(result: ToolResult): string {
    const { toolCallId, toolName } = checkCall(result, 'result')
    const content = result.state === 'output-available' ? (result.output ?? '') : formatOutput(result)
    const fields = { name: toolName, [dialect.result.id]: toolCallId, status: getStatus(result), content }
    const json = hideOpeners(JSON.stringify(fields), markers.map(getFixedStart))
    return dialect.result.write.replace('{result}', () => json)
  }
}

/** An empty marker is the JSON itself. */
function getStarts(mark: Marker): readonly string[] {
  if (mark === '') return ['{', '[']
  return mark.startsWith('{name}') ? nameStarts : [mark]
}

const nameStarts = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_']

/**
 * Escapes the first character of each opener, in `ownOpeners` and in any other dialect. If a model repeats a result, it
 * is never a call, whichever dialect reads it.
 */
function hideOpeners(json: string, ownOpeners: readonly string[]): string {
  let hiddenJson = json.replaceAll(openers, escapeCharacter)
  for (const opener of ownOpeners) {
    if (opener !== '') hiddenJson = hiddenJson.replaceAll(opener, () => escapeCharacter(opener) + opener.slice(1))
  }
  return hiddenJson
}

function escapeCharacter(text: string): string {
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`
}
