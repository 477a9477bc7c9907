import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { type Grammar, Reader } from '../reader/reader.ts'
import type { ParserOptions, Syntax } from '../syntax.ts'
import { describeTools } from '../teach/describe-tools.ts'
import { exampleCall } from '../teach/example-call.ts'
import { isName } from '../tool-names.ts'
import type { Dialect } from './dialect.ts'
import { fixedStart, type Marker } from './marker.ts'
import type { DialectTraits } from './tables.ts'

/** What every table has. */
interface Table extends DialectTraits {
  readonly name: string
  readonly lesson: string
}

/** What a generator makes of its table. */
export interface DialectParts extends Pick<Grammar, 'opening' | 'states'>, Pick<Syntax, 'format' | 'formatResult'> {
  /** What is written before a result, with its places in braces. */
  resultStart: string
  /** What calls begin with. */
  openers: readonly Marker[]
}

/** The dialect of a table: what is the same for all generators, around what is not. */
export function createDialect({ name, lesson, reasoning, silent, stop }: Table, parts: DialectParts): Dialect {
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
    starts: [...new Set(openers.map(fixedStart))],
  }
}

/** What a model is told that wrote a call wrong: how a call of this tool is written. */
function repairLesson(
  format: (call: CallToWrite, tool?: ToolDefinition) => string,
  toolName: string,
  tool: ToolDefinition | undefined,
): string {
  const displayName = toolName === 'unknown' || !isName(toolName) ? 'NAME' : toolName
  const example = { toolCallId: 'id', toolName: displayName, input: { PARAMETER: 'value' } }
  return `Write the call like this:\n${format(tool === undefined ? example : exampleCall(tool), tool)}`
}

/**
 * What a server stops at, so that a model cannot write its own results: the words of the dialect's table, and how its
 * results begin.
 */
function stopWords(words: readonly string[] | undefined, resultStart: string): readonly string[] {
  const [fixed = ''] = resultStart.split('{', 1)
  const [line = ''] = fixed.trim().split('\n', 1)
  // A tag is known by its name; what attributes a model gives it does not matter.
  const opener = line.startsWith('<') ? line.replace(/\s.*/, '') : line
  return [...new Set([...(words ?? []), ...(opener === '' ? [] : [opener])])]
}
