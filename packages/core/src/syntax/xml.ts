import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import type { ErrorCode } from '../source/error.ts'
import { MAX_NAME } from './limits.ts'
import { GREATER, LESS } from './reader/char-codes.ts'
import { type Grammar, Reader } from './reader/reader.ts'
import type { State, States } from './reader/states.ts'
import type { ParserOptions, Syntax } from './syntax.ts'
import { describeTools } from './teach/describe-tools.ts'
import { exampleCall } from './teach/example-call.ts'
import { quoteResult } from './teach/quote-result.ts'
import { isNameCode, isToolName } from './tool-names.ts'
import { RawValue, type ValueWatch } from './value/raw-value.ts'
import { writeParameters } from './value/write-value.ts'

/**
 * Tags: a call is an element, each parameter an element in it.
 *
 *     <tool:write_file>
 *     <param:path>src/lib.rs</param:path>
 *     <param:content>
 *     //! a < b && c > d
 *     </param:content>
 *     </tool:write_file>
 *
 * It looks like XML but isn't: within a parameter, only its own closing tag is markup, so code needs no escaping. A
 * value that contains its closing tag is written in a marked tag: `<param:content#1>…</param:content#1>`.
 */
export const xml: Syntax = {
  name: 'xml',
  kind: 'text',
  limit: 'one',
  stop: ['\n<result:'],
  parser,
  format,
  formatResult,
  describe,
}

const lesson = `# How to call a tool

Write a call as tags, outside of code fences. Each parameter has a tag of its own; what is in it is taken as it is,
without escaping. A line break after the opening tag and one before the closing tag do not count.

<tool:NAME>
<param:PARAMETER>value</param:PARAMETER>
<param:PARAMETER>
a value of
several lines
</param:PARAMETER>
</tool:NAME>

For a list, repeat the tag, once for each item. Objects are written as JSON. A value that contains its own closing tag
goes into a marked tag: <param:PARAMETER#1>…</param:PARAMETER#1>.`

/** Two names, with the words and marks between them. */
const MAX_TAG = 2 * MAX_NAME + 16

function parser(options?: ParserOptions): Reader {
  return new Reader(xmlGrammar, options)
}

function format(call: CallToWrite, tool?: ToolDefinition): string {
  const lines = writeParameters(call, tool, 'repeated').flatMap(({ key, written: source }) =>
    ('text' in source ? [source.text] : source.items).map(text => formatParameter(key, text)),
  )
  return [`<tool:${call.toolName}>`, ...lines, `</tool:${call.toolName}>`].join('\n')
}

function formatParameter(key: string, text: string): string {
  let name = key
  const isDoubtful = /<\/?(?:tool|param):/.test(text)
  for (let mark = 1; text.includes(`</param:${name}>`) || (isDoubtful && name === key); mark++) name = `${key}#${mark}`
  const layout = /[\r\n]/.test(text) ? '\n' : ''
  return `<param:${name}>${layout}${text}${layout}</param:${name}>`
}

function formatResult(result: ToolResult): string {
  return quoteResult(result, ({ name, id, status }) => [
    `<result:${name} id="${id}" status="${status}">`,
    `</result:${name}>`,
  ])
}

function describe(tools: readonly ToolDefinition[]): string {
  return describeTools(lesson, tools, format)
}

function repair(name: string, tool: ToolDefinition | undefined): string {
  const call =
    tool === undefined ? { toolCallId: '', toolName: name, input: { PARAMETER: 'value' } } : exampleCall(tool)
  return `Write the call like this:\n${format(call, tool)}`
}

export const xmlGrammar: Grammar = { opening: { marks: '<', where: 'anywhere' }, states, repair }

function states(reader: Reader): States {
  const value = new RawValue()
  let name = ''
  /** The call's closing tag, after its `<`. */
  let closing = ''
  /** The open parameter's name, with its mark. */
  let parameter = ''
  /** The current tag, after its `<`. */
  let tag = ''
  let watch: ValueWatch | undefined

  /**
   *   | Let me look. <tool:read_file>
   *                  ^
   */
  function opener(): State {
    const isMatch = reader.expect('<tool:')
    if (isMatch === undefined) return opener
    reader.word = ''
    return isMatch ? toolName : reader.notCall()
  }

  /**
   *   | <tool:read_file>
   *           ^
   */
  function toolName(): State {
    if (!reader.readName()) return toolName
    if (reader.word === '' || reader.text.charCodeAt(reader.at) !== GREATER) return reader.notCall()
    name = reader.word
    if (!isToolName(name)) return reader.notCall()
    closing = `/tool:${name}>`
    watch = {
      callClose: [`</tool:${name}>`],
      callOpen: [`<tool:${name}>`],
      parameterOpen: ['<param:{name}>'],
      parameterClose: ['</param:{name}>'],
      lacks: each => reader.call?.lacks(each) === true,
      isUnknown: () => reader.call?.isUnknown === true,
      repeats: each => reader.call?.repeats(each) === true,
      isNamed: true,
    }
    reader.at++
    return afterOpener
  }

  /**
   *   | <tool:read_file>
   *                     ^
   *   | <param:path>src/main.rs</param:path>
   */
  function afterOpener(): State {
    if (!reader.skipSpace()) return afterOpener
    if (reader.text.charCodeAt(reader.at) !== LESS) return reader.notCall()
    reader.at++
    return firstTag
  }

  /**
   *   | <tool:read_file>
   * > | <param:path>src/main.rs</param:path>
   *      ^
   */
  function firstTag(): State {
    return reader.text.charAt(reader.at) === '/' ? emptyCall : firstParameter
  }

  /**
   *   | <tool:list_projects></tool:list_projects>
   *                          ^
   */
  function emptyCall(): State {
    const isMatch = reader.expect(closing)
    if (isMatch === undefined) return emptyCall
    if (!isMatch) return reader.notCall()
    return reader.open(name) ?? reader.close()
  }

  /**
   *   | <tool:read_file>
   * > | <param:path>src/main.rs</param:path>
   *      ^
   */
  function firstParameter(): State {
    const isMatch = reader.expect('param:')
    if (isMatch === undefined) return firstParameter
    if (!isMatch) return reader.tool(name) === undefined ? reader.notCall() : wrongTag()
    tag = 'param:'
    return reader.open(name) ?? tagName
  }

  /**
   * A known tool's tag is followed by a tag that doesn't belong to the call.
   *
   *   | <tool:read_file><div>
   *                      ^
   */
  function wrongTag(): State {
    return reader.open(name) ?? strayText()
  }

  /**
   *   | <param:path>src/main.rs</param:path>
   * > | <param:line>12</param:line>
   *     ^
   */
  function betweenParameters(): State {
    if (!reader.skipSpace()) return betweenParameters
    if (reader.text.charCodeAt(reader.at) !== LESS) return strayText()
    return startOfTag()
  }

  /**
   *   | <param:line>12</param:line>
   *      ^
   */
  function tagName(): State {
    while (reader.at < reader.text.length) {
      const code = reader.text.charCodeAt(reader.at)
      if (code === GREATER) {
        reader.at++
        return endOfTag()
      }
      if (tag.length > MAX_TAG || !(isNameCode(code) || '/:#'.includes(String.fromCharCode(code)))) return strayText()
      tag += reader.text.charAt(reader.at++)
    }
    return tagName
  }

  /**
   *   | <param:line>12</param:line>
   *                 ^
   */
  function endOfTag(): State {
    const [, slash, kind, tagged = '', mark = ''] = /^(\/?)(tool|param):([\w.-]+)(#[\w.-]+)?$/.exec(tag) ?? []
    const where = reader.offset - tag.length - 2
    if (kind === 'param' && slash === '') {
      parameter = tagged + mark
      reader.call?.begin(tagged, where)
      value.begin(reader, `</param:${parameter}>`, mark === '' && reader.call?.broken !== true ? watch : undefined)
      return parameterValue
    }
    if (kind === 'param') {
      reader.call?.fail('SYNTAX_WRONG_CLOSING', `\`<${tag}>\` closes a parameter that is not open.`, where)
      return betweenParameters
    }
    if (kind === undefined || mark !== '') return strayText()
    if (slash === '') {
      reader.call?.fail('SYNTAX_NESTED_CALL', `\`<${tag}>\` is inside the call to \`${name}\`.`, where)
      return betweenParameters
    }
    if (tagged === name) return reader.close()
    // If the call is already broken, this may be the end of something nested in it.
    if (reader.call?.broken === true) return betweenParameters
    reader.call?.fail('SYNTAX_WRONG_CLOSING', `\`<tool:${name}>\` is closed by \`<${tag}>\`.`, where)
    return reader.close()
  }

  /**
   *   | <param:content>
   * > | fn main() {}
   *        ^
   *   | </param:content>
   */
  function parameterValue(): State {
    const end = value.read(reader)
    if (end === undefined) return parameterValue
    if (end === 'doubtful') {
      const message = `The value of \`${parameter}\` contains tags that are not part of a complete call; close it with \`</param:${parameter}>\`.`
      reader.call?.fail('SYNTAX_WRONG_CLOSING', message, reader.offset)
      parameter = ''
      return betweenParameters
    }
    return endParameter(end === 'cut')
  }

  function endParameter(isCut: boolean): State {
    if (isCut) reader.call?.repairOrFail('parameter-not-closed', reader.offset)
    const text = value.text(reader)
    if (!parameter.includes('#') && text.trimStart().startsWith(`<param:${parameter}>`)) {
      reader.call?.fail('SYNTAX_NESTED_PARAMETER', `\`<param:${parameter}>\` is given twice.`, reader.offset)
    }
    parameter = ''
    reader.call?.end(text)
    return betweenParameters
  }

  function end(): State | undefined {
    const isOpen = parameter !== '' && reader.call?.broken === false
    return isOpen && value.endsBefore(reader) ? endParameter(true) : undefined
  }

  function startOfTag(): State {
    reader.at++
    tag = ''
    return tagName
  }

  function strayText(): State {
    const message = `There is text between the parameters of \`${name}\`.`
    if (!reader.atEnd) reader.call?.fail('SYNTAX_STRAY_TEXT', message, reader.offset)
    return stray
  }

  /**
   * A broken call is read by the same rules, so that its values still hide what they contain.
   *
   *   | <tool:read_file><param:path>a</param:path> and then </tool:read_file>
   *                                                ^
   */
  function stray(): State {
    const next = reader.text.indexOf('<', reader.at)
    reader.at = next < 0 ? reader.text.length : next
    return next < 0 ? stray : startOfTag()
  }

  /** The text ends within the call: it was cut off, or a wrong tag in the last parameter swallowed the rest. */
  function unclosed(source: string): { code: ErrorCode; message: string } {
    if (parameter === '') {
      return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before \`</tool:${name}>\`.` }
    }
    const expected = `\`</param:${parameter}>\``
    const inside = source.slice(source.lastIndexOf(`<param:${parameter}>`) + parameter.length + 8)
    const [wrong, slash] = /<(\/?)param:[\w.-]+>/.exec(inside) ?? []
    if (wrong === undefined || !inside.includes(`</tool:${name}>`)) {
      return { code: 'SYNTAX_UNCLOSED_VALUE', message: `The text ends before ${expected}.` }
    }
    return slash === ''
      ? { code: 'SYNTAX_NESTED_PARAMETER', message: `\`${wrong}\` is written where ${expected} should be.` }
      : { code: 'SYNTAX_WRONG_CLOSING', message: `\`${wrong}\` is written where ${expected} should be.` }
  }

  return { opener, unclosed, end }
}
