import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import type { ErrorCode } from '../source/error.ts'
import { BlockCall } from './block/block-call.ts'
import { withoutCr } from './block/block-line.ts'
import type { BlockRecord } from './block/block-record.ts'
import { type CallHeader, readHeader } from './block/call-header.ts'
import { writeBlock, writeCall } from './block/write-block.ts'
import { CR, GREATER, isBlank, LF, SPACE, TAB } from './reader/char-codes.ts'
import { type Grammar, Reader } from './reader/reader.ts'
import { sendPart } from './reader/send-part.ts'
import type { State, States } from './reader/states.ts'
import type { ParserOptions, Syntax } from './syntax.ts'
import { describeTools } from './teach/describe-tools.ts'
import { exampleCall } from './teach/example-call.ts'
import { quoteResult } from './teach/quote-result.ts'

/**
 * Callouts: a call is a block quote with a header and YAML fields, readable in any Markdown viewer.
 *
 *     > [!tool search call_123]
 *     > state: output-available
 *     > input:
 *     >   query: cats
 *     > output:
 *     >   results: []
 *
 * The block ends at the first line without `>`, and at the header of another one. It can carry a result too, so a
 * finished run is a document of this form. Nothing marks its end: a text that ends in a callout ends the callout.
 */
export const callout: Syntax = {
  name: 'callout',
  kind: 'text',
  limit: 'none',
  stop: ['\n> [!result '],
  parser,
  format,
  formatResult,
  describe,
}

const lesson = `# How to call a tool

Write a call as a block quote, outside of lists and code fences. Its first line names the tool and gives the call an id
of your choice that is new in this conversation. The lines below it are YAML, indented with spaces, each after \`> \`:

> [!tool NAME ID]
> input:
>   PARAMETER: value
>   LONG_PARAMETER: |
>     a value of
>     several lines
>   LIST_PARAMETER:
>     - first item
>     - second item

Put a value into double quotes if it contains \`: \` or \` #\`, or begins with a special character. End the block with an
empty line. Write only the input: the result comes from the tool.`

const BRACKET = 91
const CLOSE_BRACKET = 93

function format(call: CallToWrite): string {
  return formatBlock(writeCall(call))
}

export function formatCallout(call: CallToWrite, extra?: Readonly<Record<string, unknown>>): string {
  return formatBlock(writeBlock(call, extra))
}

function formatBlock({ words, lines }: { words: string; lines: readonly string[] }): string {
  return [`> [!tool${words}]`, ...lines.map(line => (line === '' ? '>' : `> ${line}`))].join('\n')
}

function formatResult(result: ToolResult): string {
  return quoteResult(result, ({ name, id, status }) => [`> [!result ${name} ${id} ${status}]`, '> [!end of result]'])
}

function describe(tools: readonly ToolDefinition[]): string {
  return describeTools(lesson, tools, call => format({ ...call, toolCallId: 'call_1' }))
}

function repair(name: string, tool: ToolDefinition | undefined): string {
  const call = tool === undefined ? { toolName: name, input: { PARAMETER: 'value' } } : exampleCall(tool)
  return `Write the call like this:\n${format({ ...call, toolCallId: 'call_1' })}`
}

function parser(options?: ParserOptions): Reader {
  return calloutParser(options)
}

export function calloutParser(options?: ParserOptions, observe?: (record: BlockRecord) => void): Reader {
  if (observe === undefined) return new Reader(grammar, options)
  return new Reader({ ...grammar, states: reader => states(reader, observe) }, options)
}

const grammar: Grammar = {
  opening: { marks: '>', where: 'indented' },
  idPrefix: 'tool-call',
  states: reader => states(reader, undefined),
  repair,
}

function states(reader: Reader, observe: ((record: BlockRecord) => void) | undefined): States {
  const lineStarts = reader.lineStarts()
  let block: BlockCall | undefined
  let header: CallHeader = {}
  let headerOffset = 0
  /** The end of the block's last line, before its line break. */
  let blockEnd = 0
  /** The column of the next character, while only spaces and the `>` have been read. */
  let column = 0
  /** The start of the line, after its `>` and one space, and how many spaces replace the tabs there. */
  let lineOffset = 0
  let sentOffset = 0
  let padding = 0

  /**
   *   | > [!tool search call_123]
   *     ^
   */
  function opener(): State {
    if (reader.afterQuote) return reader.notCall()
    block = undefined
    headerOffset = reader.offset
    reader.at++
    return openerBlank
  }

  /**
   *   | > [!tool search call_123]
   *      ^
   */
  function openerBlank(): State {
    if (isBlank(codeHere())) reader.at++
    return openerWord
  }

  /**
   *   | > [!tool search call_123]
   *       ^
   */
  function openerWord(): State {
    const isMatch = reader.expect('[!tool')
    if (isMatch === undefined) return openerWord
    return isMatch ? afterOpenerWord : reader.notCall()
  }

  /**
   *   | > [!tool search call_123]
   *             ^
   */
  function afterOpenerWord(): State {
    if (!endsWord(codeHere())) return reader.notCall()
    lineOffset = reader.offset
    return headerWords
  }

  /**
   *   | > [!tool search call_123]
   *              ^
   */
  function headerWords(): State {
    while (reader.at < reader.text.length) {
      const code = codeHere()
      if (code === LF) return reader.notCall()
      if (code === CLOSE_BRACKET) {
        header = readHeader(reader.between(lineOffset, reader.offset))
        reader.at++
        return afterHeader
      }
      reader.at++
    }
    return headerWords
  }

  /**
   *   | > [!tool search call_123]
   *                              ^
   */
  function afterHeader(): State {
    if (!reader.skipBlanks()) return afterHeader
    if (codeHere() !== LF) {
      header.problem ??= 'Nothing may follow the header'
      return restOfHeader
    }
    block = new BlockCall(reader, lineStarts, observe)
    if (header.problem !== undefined) header.problem = `${header.problem}; write \`> [!tool NAME ID]\``
    return block.begin(header, headerOffset) ?? endLine()
  }

  /**
   *   | > [!tool search call_123] for cats
   *                               ^
   */
  function restOfHeader(): State {
    const end = reader.text.indexOf('\n', reader.at)
    reader.at = end < 0 ? reader.text.length : end
    return end < 0 ? restOfHeader : afterHeader
  }

  /**
   *   | > [!tool search call_123]
   * > | > input:
   *     ^
   */
  function startOfLine(): State {
    while (reader.at < reader.text.length) {
      const code = codeHere()
      if (code === GREATER) {
        reader.at++
        column++
        return afterMark
      }
      if (code !== SPACE || column === 3) return endOfBlock()
      reader.at++
      column++
    }
    return startOfLine
  }

  /**
   *   | > input:
   *      ^
   */
  function afterMark(): State {
    padding = 0
    lineOffset = reader.offset
    if (codeHere() === TAB) return tabs
    if (codeHere() === SPACE) {
      reader.at++
      lineOffset++
    }
    sentOffset = lineOffset
    column = 0
    return indentation
  }

  /** Tabs after the `>` are as wide as in Markdown. YAML allows none there, so it gets spaces. */
  function tabs(): State {
    while (reader.at < reader.text.length && codeHere() === TAB) {
      padding += 4 - ((column + padding) % 4)
      reader.at++
    }
    if (reader.at === reader.text.length) return tabs
    padding--
    column = padding
    return indentation
  }

  /**
   *   | > input:
   * > | >   query: cats
   *       ^
   */
  function indentation(): State {
    while (reader.at < reader.text.length && codeHere() === SPACE) {
      reader.at++
      column++
    }
    if (reader.at === reader.text.length) return indentation
    const code = codeHere()
    if (code === LF || code === CR) return restOfLine
    if (block?.beginsLiteral(column, lineOffset) === true) return literalLine
    const otherState = block?.beginLine(column, reader.text.charAt(reader.at))
    if (otherState !== undefined) return otherState
    return code === BRACKET && column === 0 ? nextHeader : restOfLine
  }

  /**
   *   | > [!tool search call_123]
   * > | > [!tool search call_124]
   *       ^
   */
  function nextHeader(): State {
    const isMatch = reader.expect('[!tool')
    if (isMatch === undefined) return nextHeader
    return isMatch ? afterNextHeader : restOfLine
  }

  /**
   * > | > [!tool search call_124]
   *             ^
   */
  function afterNextHeader(): State {
    return endsWord(codeHere()) ? endOfBlock() : restOfLine
  }

  /**
   *   | > input:
   *       ^
   */
  function restOfLine(): State {
    const end = reader.text.indexOf('\n', reader.at)
    reader.at = end < 0 ? reader.text.length : end
    if (end < 0) {
      if (padding === 0) sentOffset = sendPart(reader, block, sentOffset, lineOffset)
      return restOfLine
    }
    const source = withoutCr(reader.between(lineOffset, reader.offset))
    if (padding === 0) return block?.line(source, lineOffset, 0) ?? endLine()
    const tabCount = source.search(/[^\t]|$/)
    const line = ' '.repeat(padding) + source.slice(tabCount)
    return block?.line(line, lineOffset, tabCount - padding) ?? endLine()
  }

  /**
   *   | >   content: |
   * > | >     fn main() {}
   *             ^
   */
  function literalLine(): State {
    block?.readLiteral('> ', -1)
    return reader.at < reader.text.length ? endLine() : literalLine
  }

  function endLine(): State {
    const { offset, at } = reader
    const before = at > 0 ? reader.text.charCodeAt(at - 1) : reader.between(offset - 1, offset).charCodeAt(0)
    blockEnd = before === CR ? offset - 1 : offset
    reader.at++
    column = 0
    return startOfLine
  }

  /** The line that has begun isn't part of the block. It is read again, from the line break before it. */
  function endOfBlock(): State {
    const otherState = block?.finish()
    block = undefined
    return otherState ?? reader.closeAt(blockEnd)
  }

  function codeHere(): number {
    return reader.text.charCodeAt(reader.at)
  }

  function end(): State | undefined {
    return block === undefined ? undefined : endOfBlock()
  }

  function unclosed(): { code: ErrorCode; message: string } {
    return { code: 'SYNTAX_UNCLOSED_CALL', message: 'The text ends within the callout.' }
  }

  return { opener, unclosed, end }
}

/** True for what may follow `[!tool` in a header: `[!toolbox]` isn't one. */
function endsWord(code: number): boolean {
  return code === CLOSE_BRACKET || isBlank(code)
}
