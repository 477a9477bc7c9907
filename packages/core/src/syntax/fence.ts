import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import type { ErrorCode } from '../source/error.ts'
import { BlockCall } from './block/block-call.ts'
import { withoutCr } from './block/block-line.ts'
import { readHeader } from './block/call-header.ts'
import { writeCall } from './block/write-block.ts'
import { BACKTICK, CR, isBlank, LF, SPACE } from './reader/char-codes.ts'
import { type Grammar, Reader } from './reader/reader.ts'
import { sendPart } from './reader/send-part.ts'
import type { State, States } from './reader/states.ts'
import type { ParserOptions, Syntax } from './syntax.ts'
import { describeTools } from './teach/describe-tools.ts'
import { exampleCall } from './teach/example-call.ts'
import { quoteResult } from './teach/quote-result.ts'

/**
 * Fenced blocks: a call is a code fence whose first word is `tool`, with the fields of a callout as YAML or JSON.
 *
 *     ```tool search call_123
 *     input:
 *       query: cats
 *     ```
 *
 *     ```tool search call_124
 *     {"input": {"query": "dogs"}}
 *     ```
 *
 * The block ends at a fence of at least as many backticks that isn't indented further than the first one, so a value can
 * contain its own fences. If a value contains such a line, the block needs a longer fence.
 */
export const fence: Syntax = {
  name: 'fence',
  kind: 'text',
  limit: 'none',
  stop: ['\n```tool-result'],
  parser,
  format,
  formatResult,
  describe,
}

const lesson = `# How to call a tool

Write a call as a code fence, outside of lists and quotes. Its first line is \`\`\`tool, the name of the tool and an id of
your choice that is new in this conversation. The lines in it are YAML, indented with spaces:

\`\`\`tool NAME ID
input:
  PARAMETER: value
  LONG_PARAMETER: |
    a value of
    several lines
  LIST_PARAMETER:
    - first item
    - second item
\`\`\`

Put a value into double quotes if it contains \`: \` or \` #\`, or begins with a special character. Write only the input:
the result comes from the tool.`

function format(call: CallToWrite): string {
  const { words, lines } = writeCall(call)
  const body = lines.join('\n')
  const longest = (body.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const ticks = '`'.repeat(longest + 1)
  return [`${ticks}tool${words}`, ...lines, ticks].join('\n')
}

function formatResult(result: ToolResult): string {
  return quoteResult(result, ({ name, id, status }) => ['', '', `tool-result ${name} ${id} ${status}`])
}

function describe(tools: readonly ToolDefinition[]): string {
  return describeTools(lesson, tools, call => format({ ...call, toolCallId: 'call_1' }))
}

function repair(name: string, tool: ToolDefinition | undefined): string {
  const call = tool === undefined ? { toolName: name, input: { PARAMETER: 'value' } } : exampleCall(tool)
  return `Write the call like this:\n${format({ ...call, toolCallId: 'call_1' })}`
}

const grammar: Grammar = { opening: { marks: '`', where: 'indented' }, idPrefix: 'tool-call', states, repair }

function parser(options?: ParserOptions): Reader {
  return new Reader(grammar, options)
}

function states(reader: Reader): States {
  const lineStarts = reader.lineStarts()
  let block: BlockCall | undefined
  let blockOffset = 0
  /** The opening fence's indentation and number of backticks. */
  let indent = 0
  let ticks = 0
  /** Backticks and spaces read in this line, and the start of the line or header. */
  let run = 0
  let column = 0
  let lineOffset = 0
  let sentOffset = 0

  /**
   *   | ```tool search call_123
   *     ^
   */
  function opener(): State {
    block = undefined
    blockOffset = reader.offset
    indent = lineStarts.position(blockOffset).column - 1
    ticks = 0
    return openerTicks
  }

  /**
   *   | ```tool search call_123
   *      ^
   */
  function openerTicks(): State {
    while (reader.at < reader.text.length && codeHere() === BACKTICK) {
      ticks++
      reader.at++
    }
    if (reader.at === reader.text.length) return openerTicks
    return ticks < 3 ? reader.notCall() : openerWord
  }

  /**
   *   | ```tool search call_123
   *        ^
   */
  function openerWord(): State {
    const isMatch = reader.expect('tool')
    if (isMatch === undefined) return openerWord
    return isMatch ? afterOpenerWord : reader.notCall()
  }

  /**
   *   | ```tool search call_123
   *            ^
   */
  function afterOpenerWord(): State {
    const code = codeHere()
    if (!isBlank(code) && code !== CR && code !== LF) return reader.notCall()
    lineOffset = reader.offset
    return headerWords
  }

  /**
   *   | ```tool search call_123
   *             ^
   */
  function headerWords(): State {
    while (reader.at < reader.text.length) {
      const code = codeHere()
      if (code === BACKTICK) return reader.notCall()
      if (code === LF) return endHeader()
      reader.at++
    }
    return headerWords
  }

  function endHeader(): State {
    const header = readHeader(reader.between(lineOffset, reader.offset))
    if (header.problem !== undefined) header.problem = `${header.problem}; write \`\`\`tool NAME ID`
    block = new BlockCall(reader, lineStarts)
    return block.begin(header, blockOffset) ?? endLine()
  }

  /**
   *   | ```tool search call_123
   * > | input:
   *     ^
   */
  function startOfLine(): State {
    while (reader.at < reader.text.length && codeHere() === SPACE) {
      reader.at++
      column++
    }
    if (reader.at === reader.text.length) return startOfLine
    const code = codeHere()
    if (code === BACKTICK && column <= indent) return closingTicks
    if (code === LF || code === CR) return restOfLine
    if (block?.beginsLiteral(column, lineOffset) === true) return literalLine
    return block?.beginLine(column, reader.text.charAt(reader.at)) ?? restOfLine
  }

  /**
   *   |   query: cats
   * > | ```
   *     ^
   */
  function closingTicks(): State {
    while (reader.at < reader.text.length && codeHere() === BACKTICK) {
      run++
      reader.at++
    }
    if (reader.at === reader.text.length) return closingTicks
    return run < ticks ? restOfLine : afterClosingTicks
  }

  /**
   * > | ```
   *        ^
   */
  function afterClosingTicks(): State {
    if (!reader.skipBlanks()) return afterClosingTicks
    if (codeHere() !== LF) return restOfLine
    const otherState = block?.finish()
    block = undefined
    const { offset } = reader
    return otherState ?? reader.closeAt(reader.between(offset - 1, offset) === '\r' ? offset - 1 : offset)
  }

  /**
   *   | input:
   *     ^
   */
  function restOfLine(): State {
    const end = reader.text.indexOf('\n', reader.at)
    reader.at = end < 0 ? reader.text.length : end
    if (end < 0) {
      sentOffset = sendPart(reader, block, sentOffset, lineOffset)
      return restOfLine
    }
    // A line that only the end of the text ends may be incomplete.
    if (reader.atEnd) return endLine()
    const line = withoutCr(reader.between(lineOffset, reader.offset))
    return block?.line(line, lineOffset, 0) ?? endLine()
  }

  /**
   *   |   content: |
   * > |     fn main() {}
   *           ^
   */
  function literalLine(): State {
    block?.readLiteral('', BACKTICK)
    return reader.at < reader.text.length ? endLine() : literalLine
  }

  function endLine(): State {
    reader.at++
    lineOffset = sentOffset = reader.offset
    column = 0
    run = 0
    return startOfLine
  }

  function codeHere(): number {
    return reader.text.charCodeAt(reader.at)
  }

  function end(): State | undefined {
    return block?.cutOff()
  }

  function unclosed(): { code: ErrorCode; message: string } {
    const closing = '`'.repeat(ticks)
    return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before the line ${closing} that closes the block.` }
  }

  return { opener, unclosed, end }
}
