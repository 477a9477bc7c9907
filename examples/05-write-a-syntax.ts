import {
  describeTools,
  exampleCall,
  type Grammar,
  parse,
  quoteResult,
  Reader,
  type State,
  type States,
  type Syntax,
  syntaxes,
  writeParameters,
} from '@argot/core/syntax'
import { testConformance } from '@argot/core/testing'

/**
 * A syntax of our own: a line for the tool, a line for each parameter, a line for the end.
 *
 *     @@read_file
 *     path = src/main.rs
 *     @@
 */
const atLines: Syntax = {
  name: 'at-lines',
  parser: options => new Reader(grammar, options),
  format(call, tool) {
    const lines = writeParameters(call, tool, 'repeated').flatMap(({ key, written }) =>
      ('text' in written ? [written.text] : written.items).map(text => `${key} = ${JSON.stringify(text).slice(1, -1)}`),
    )
    return [`@@${call.toolName}`, ...lines, '@@'].join('\n')
  },
  formatResult: result => quoteResult(result, ({ name, id, status }) => [`Result of ${name} (${id}): ${status}`, '']),
  describe: tools => describeTools('Write @@ and the tool, then `name = value` lines, then @@.', tools, atLines.format),
}

const grammar: Grammar = {
  opening: { marks: '@', where: 'line' },
  states,
  repair: (name, tool) => `Write:\n${atLines.format(tool ? exampleCall(tool) : { toolCallId: '', toolName: name })}`,
}

function states(reader: Reader): States {
  let line = ''

  /**
   *   | @@read_file
   *     ^
   */
  function opener(): State {
    const seen = reader.expect('@@')
    if (seen === undefined) return opener
    reader.word = ''
    return seen ? toolName : reader.notCall()
  }

  function toolName(): State {
    if (!reader.readName()) return toolName
    const name = reader.word
    if (name === '' || reader.text[reader.at] !== '\n') return reader.notCall()
    line = ''
    return reader.open(name) ?? lineBreak
  }

  function lineBreak(): State {
    reader.at++
    return parameter
  }

  /**
   *   | @@read_file
   * > | path = src/main.rs
   *     ^
   */
  function parameter(): State {
    const end = reader.text.indexOf('\n', reader.at)
    line += reader.text.slice(reader.at, end < 0 ? undefined : end)
    reader.at = end < 0 ? reader.text.length : end
    if (end < 0) return parameter
    if (line === '@@') return reader.close()
    const [, key, text] = /^([\w.-]+) = (.*)$/s.exec(line) ?? []
    const value = text === undefined ? undefined : decode(text)
    if (key === undefined || value === undefined) {
      reader.call?.fail('SYNTAX_STRAY_TEXT', 'A line is not `name = value`.', reader.offset - line.length)
    } else {
      reader.call?.begin(key, reader.offset - line.length)
      reader.call?.write(value)
      reader.call?.end(value)
    }
    line = ''
    return lineBreak
  }

  return {
    opener,
    unclosed: () => ({ code: 'SYNTAX_UNCLOSED_CALL', message: 'The text ends before the line `@@`.' }),
  }
}

function decode(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return undefined
  }
}

// It is a syntax like any other now: known by name, and it keeps the laws.
syntaxes.register(atLines)
console.log(JSON.stringify(parse(syntaxes.get('at-lines'), 'Let me look.\n@@read_file\npath = a.md\n@@').at(-1)))
testConformance(atLines, {
  test: (name, body) => {
    body()
    console.log(`✔ ${name}`)
  },
  shards: ['@@ls\n', '@@\n', '@', '@@', 'a = b\n', 'a = \\\n', 'a =', '\\n'],
  skip: { streaming: 'a value is read at the end of its line' },
})
