import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { type Grammar, Reader } from '../reader/reader.ts'
import type { ParserOptions, Syntax } from '../syntax.ts'
import { describeTools } from '../teach/describe-tools.ts'
import { exampleCall } from '../teach/example-call.ts'
import { isName } from '../tool-names.ts'
import type { Dialect } from './dialect.ts'
import { getFixedStart, type Marker } from './marker.ts'
import type { DialectTraits } from './tables.ts'

interface DialectTable extends DialectTraits {
  readonly name: string
  readonly lesson: string
}

export interface DialectParts extends Pick<Grammar, 'opening' | 'states'>, Pick<Syntax, 'format' | 'formatResult'> {
  /** What precedes a result, with placeholders in braces. */
  resultStart: string
  openers: readonly Marker[]
}

/** Adds the parts that all generators share. */
export function createDialect({ name, lesson, reasoning, silent, stop }: DialectTable, parts: DialectParts): Dialect {
  const { opening, states, format, formatResult, resultStart, openers } = parts
  const repair: Grammar['repair'] = (toolName, tool) => repairLesson(format, toolName, tool)
  const grammar: Grammar = { opening, states, repair, reasoning, silent }
  return {
    name,
    kind: 'text',
    limit: 'none',
    stop: stopWords(stop, resultStart),
    ...defined({ silent }),
    parser: (options?: ParserOptions) => new Reader(grammar, options),
    format,
    formatResult,
    describe: tools => describeTools(lesson, tools, format),
    grammar,
    starts: [...new Set(openers.map(getFixedStart))],
  }
}

function repairLesson(
  format: (call: CallToWrite, tool?: ToolDefinition) => string,
  toolName: string,
  tool: ToolDefinition | undefined,
): string {
  const displayName = toolName === 'unknown' || !isName(toolName) ? 'NAME' : toolName
  const example = { toolCallId: 'id', toolName: displayName, input: { PARAMETER: 'value' } }
  return `Write the call like this:\n${format(tool === undefined ? example : exampleCall(tool), tool)}`
}

/** Where a server stops, so that a model can't write its own results: the table's words, and how its results begin. */
function stopWords(words: readonly string[] | undefined, resultStart: string): readonly string[] {
  const [fixed = ''] = resultStart.split('{', 1)
  const [line = ''] = fixed.trim().split('\n', 1)
  // A tag is recognized by its name, whatever attributes a model adds.
  const opener = line.startsWith('<') ? line.replace(/\s.*/, '') : line
  return [...new Set([...(words ?? []), ...(opener === '' ? [] : [opener])])]
}
