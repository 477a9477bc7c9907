import type { CallToWrite } from '../message/tool-invocation.ts'
import { argotMetadata } from '../stream/chunk.ts'
import { reasoningMarks } from '../syntax/reader/reasoning.ts'
import type { Syntax } from '../syntax/syntax.ts'
import { inputShape } from '../syntax/value/input-shape.ts'
import { isEqual } from '../syntax/value/schema.ts'
import { joinText } from './join-deltas.ts'
import {
  collectCalls,
  expectCall,
  failLaw,
  hasToolChunk,
  type Law,
  looseTool,
  type QuotePlace,
  readPieces,
} from './law.ts'

/** `parse(format(call))` returns the call, for any input that its schema allows. */
export const roundTrip: Law = {
  name: 'round trip',
  check({ syntax, generate, count }) {
    for (let i = 0; i < count(3000); i++) {
      const { tool, call } = generate.call()
      const source = syntax.format(call, tool)
      const options = { tools: [tool] }
      const chunks = readPieces(syntax, [`Some words.\n${source}\nMore.`], options)
      expectCall(chunks, call, { source, schema: tool.inputSchema })
      if (joinText(chunks) !== 'Some words.\n\nMore.') failLaw('text is lost or added', { source, chunks })
      const shapes = [...inputShape(tool).properties.values()]
      const plain = shapes.every(({ types }) => types.size === 1 || (types.size === 2 && types.has('number')))
      if (plain) {
        const sourceWithoutTool = syntax.format(call)
        expectCall(readPieces(syntax, [sourceWithoutTool], options), call, {
          unaided: sourceWithoutTool,
          schema: tool.inputSchema,
        })
      }
    }
    for (let i = 0; i < count(1000); i++) {
      const call = generate.stringCall()
      const source = syntax.format(call)
      expectCall(readPieces(syntax, [source]), call, { source })
    }
  },
}

/** A call cut off by the end of the text is an error or text, never a call with half a value. */
export const cutOff: Law = {
  name: 'cut off',
  check({ syntax, generate, count, decidedBy }) {
    for (let i = 0; i < count(100); i++) {
      const source = syntax.format(generate.stringCall())
      const decidedEnd = decidedBy === '' ? source.length : source.lastIndexOf(decidedBy) + decidedBy.length
      for (let end = 0; end < decidedEnd; end++) {
        const text = source.slice(0, end)
        const chunks = readPieces(syntax, [text])
        if (collectCalls(chunks).length > 0) failLaw('an incomplete call is read as a call', { text, chunks })
        const started = chunks.filter(chunk => chunk.type === 'tool-input-start').length
        const failed = chunks.filter(chunk => chunk.type === 'tool-input-error').length
        if (started !== failed) failLaw('a call that was cut off is not settled', { text, chunks })
      }
    }
  },
}

/** A call is sent early: its start before any value, its input with its last character. Prose is never held back. */
export const early: Law = {
  name: 'early',
  check({ syntax }) {
    const value = 'a line of the file\n'.repeat(200)
    const { source, valueStart, started, available, input } = streamLongCall(syntax, value)
    if (started > valueStart) failLaw('the call starts after its first value', { source: source.slice(0, 80), started })
    if (available < 0) failLaw('the call is not complete at its last character', { source: source.slice(-80) })
    if (!isEqual(input, { content: value })) failLaw('a long value is incomplete', { input })
    const prose = 'Words that begin no call, and then some.'
    const reader = syntax.parser()
    for (const character of prose) {
      if (joinText(reader.push(character)) !== character) failLaw('prose is held back', { prose, character })
    }
  },
}

/** A long value is streamed: at most 32 characters are held back. */
export const streaming: Law = {
  name: 'streaming',
  check({ syntax }) {
    const { heldBack } = streamLongCall(syntax, 'a line of the file\n'.repeat(200))
    if (heldBack > 32) failLaw('a long value is held back', { heldBack })
  },
}

/** Reads a call with one long value, one character at a time, and records when each part of it was sent. */
function streamLongCall(syntax: Syntax, value: string) {
  const call = { toolCallId: 'call_1', toolName: 'write_file', input: { content: value } }
  // A blank line ends calls that have no closing mark.
  const source = `${syntax.format(call)}\n\n`
  const valueStart = source.indexOf(value.slice(0, 6))
  const timeline = {
    source,
    valueStart,
    started: source.length,
    available: -1,
    input: undefined as unknown,
    heldBack: 0,
  }
  // If the syntax indents or quotes each line of the value, that prefix isn't part of it.
  const before = source.slice(source.lastIndexOf('\n', valueStart) + 1, valueStart)
  const margin = /^[> ]*$/.test(before) ? before.length : 0
  let margins = 0
  const parser = syntax.parser()
  let visibleLength = 0
  for (let i = 0; i < source.length; i++) {
    for (const chunk of parser.push(source.charAt(i))) {
      if (chunk.type === 'tool-input-start') timeline.started = Math.min(timeline.started, i)
      if (chunk.type === 'tool-input-delta') visibleLength += chunk.inputTextDelta.length
      if (chunk.type === 'tool-input-available') Object.assign(timeline, { available: i, input: chunk.input })
    }
    if (i > valueStart && source.charAt(i) === '\n') margins += margin
    if (i < valueStart + value.length)
      timeline.heldBack = Math.max(timeline.heldBack, i - valueStart - margins - visibleLength)
  }
  return timeline
}

/** Limits are kept: the rest of the text becomes a remainder, and the parser reports that it stopped. */
export const limits: Law = {
  name: 'limits',
  check({ syntax, generate, count }) {
    for (let i = 0; i < count(100); i++) {
      const [first, second, third] = [generate.plainCall(), generate.plainCall(), generate.plainCall()]
      const reading = syntax.format({ ...first, toolName: 'read' })
      const writing = syntax.format({ ...second, toolName: 'write' })
      const lastReading = syntax.format({ ...third, toolName: 'read' })
      const one = { limit: 'one' } as const
      const writer = { limit: 'one-writer', tools: [looseTool('read', 'read'), looseTool('write', 'write')] } as const
      expectRemainder(syntax, `Now:\n${reading}\n`, 1, '', one)
      expectRemainder(syntax, `${reading}\n\n`, 1, `${lastReading}\nDone.`, one)
      expectRemainder(syntax, `${reading}\n`, 1, 'Then text.', one)
      expectRemainder(syntax, `${reading}\n`, 1, `${writing}\n${lastReading}\n`, writer)
      expectRemainder(syntax, `${reading}\nand\n${lastReading}\n`, 2, '', writer)
      expectRemainder(syntax, `${writing}\n`, 1, `and\n${lastReading}\n`, writer)
    }
  },
}

function expectRemainder(syntax: Syntax, before: string, calls: number, rest: string, options: object): void {
  const text = before + rest
  const parser = syntax.parser(options)
  const chunks = [...parser.push(text), ...parser.end()]
  const facts = { text, options, chunks }
  if (collectCalls(chunks).length !== calls) failLaw(`there should be ${calls} calls`, facts)
  if (parser.stopped !== (rest !== '')) failLaw('`stopped` is wrong', facts)
  const start = chunks.findIndex(chunk => argotMetadata(chunk)?.phase === 'remainder')
  const remainder = start < 0 ? '' : joinText(chunks.slice(start))
  if (remainder !== rest) failLaw('the remainder is wrong', { ...facts, remainder, rest })
}

/** A result can be quoted: read again, it is all text, whatever it contains. */
export const safeResults: Law = {
  name: 'safe results',
  check({ syntax, generate, count }) {
    for (let i = 0; i < count(2000); i++) {
      const result = generate.result()
      const text = syntax.formatResult(result)
      const chunks = readPieces(syntax, [`${text}\n`])
      if (hasToolChunk(chunks)) failLaw('a result becomes a call', { result, text, chunks })
      const word = result.state === 'output-available' ? 'success' : 'error'
      for (const part of [result.toolName, result.toolCallId, word]) {
        if (!text.includes(part)) failLaw('a result lacks its tool, id or state', { result, text, part })
      }
    }
  },
}

/** Quoted calls are text. A real call after them is read. */
export const noExampleRuns: Law = {
  name: 'examples never run',
  check({ syntax, livesIn, generate, count }) {
    for (let i = 0; i < count(100); i++) {
      const example = generate.plainCall()
      const real = { ...generate.plainCall(), toolName: 'real' }
      for (const [place, how, quoted, closed] of quotations(syntax, example)) {
        if (livesIn[place] !== undefined) continue
        const chunks = readPieces(syntax, [`Like this:\n${quoted}`])
        if (hasToolChunk(chunks)) failLaw(`an example in ${how} runs`, { quoted, chunks })
        if (joinText(chunks) !== `Like this:\n${quoted}`)
          failLaw('the text of the example is changed', { quoted, chunks })
        if (!closed) continue
        const text = `${quoted}\n\n${syntax.format(real)}\n`
        if (collectCalls(readPieces(syntax, [text])).length !== 1)
          failLaw(`${how} hides a real call after it`, { text })
      }
      const unmatched = `A lone \` hides nothing.\n${syntax.format(real)}\n`
      expectCall(readPieces(syntax, [unmatched]), real, { unmatched })
      const onOneLine = oneLine(syntax, real)
      if (onOneLine !== undefined && collectCalls(readPieces(syntax, [`and ${onOneLine}`])).length === 1) {
        const text = `A lone \` and ${onOneLine} on the line\n`
        if (collectCalls(readPieces(syntax, [text])).length !== 1) failLaw('a lone backtick hides a call', { text })
      }
    }
  },
}

function* quotations(
  syntax: Syntax,
  example: CallToWrite,
): Generator<[place: QuotePlace, how: string, text: string, closed: boolean]> {
  const source = syntax.format(example)
  const indented = source.replaceAll(/^(?=.)/gm, '  ')
  // If the syntax itself writes fences, an example of it is quoted in a longer one.
  const fence = '`'.repeat((source.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2) + 1)
  yield ['fence', 'a fence', `${fence}\n${source}\n${fence}`, true]
  yield ['fence', 'a fence with a language', `${fence}text title\n${source}\n${fence}  `, true]
  yield ['fence', 'a long fence', `${fence}\`\`\n${fence}\n${source}\n${fence}\n${fence}\`\`\``, true]
  yield ['fence', 'a tilde fence', `~~~\n${source}\n\`\`\`\n~~~`, true]
  yield ['fence', 'an indented fence', `   ${fence}\n${indented}\n   ${fence}`, true]
  yield ['fence', 'a deeply indented fence', `        ${fence}\n${source}\n        ${fence}`, true]
  yield ['fence', 'an unclosed fence', `${fence}\n${source}\n`, false]
  yield ['fence', 'an unclosed tilde fence', `~~~~\n${source}\n~~~\n`, false]
  yield ['fence', 'a fence in a list item', `- ${fence}\n${indented}\n  ${fence}`, true]
  yield ['quote', 'a quote', source.replaceAll(/^/gm, '> '), true]
  yield ['quote', 'a quote without spaces', source.replaceAll(/^/gm, '>'), true]
  yield ['quote', 'an indented quote', source.replaceAll(/^/gm, '   > '), true]
  yield ['list item', 'a list item', `- ${indented.trimStart()}`, true]
  yield ['list item', 'a list item below its text', `* item\n\n${indented}`, true]
  yield ['list item', 'a numbered item', `1. item\n${indented.replaceAll(/^(?=.)/gm, ' ')}`, true]
  yield ['reasoning', '`<think>`', `<think>\n${source}\n</think>`, true]
  yield ['reasoning', '`<thinking>`', `<thinking>${source}</thinking>`, true]
  yield ['reasoning', '`<reasoning>`', `<reasoning>\n\n${source}\n</reasoning>`, true]
  yield ['reasoning', 'unclosed reasoning', `<think>\n${source}\n`, false]
  for (const { open, close } of reasoningMarks) yield ['reasoning', `\`${open}\``, `${open}\n${source}\n${close}`, true]
  yield ['html', '`<pre>`', `<pre>\n${source}\n</pre>`, true]
  yield ['html', '`<pre>` with a class', `<pre class="x">${source}</pre>`, true]
  yield ['html', 'a comment', `<!-- ${source} -->`, true]
  yield ['html', 'an unclosed comment', `<!--\n${source}\n`, false]
  yield ['html', '`<code>` across several lines', `Write <code>\n${source}\n</code>`, true]
  yield ['footnote', 'a footnote', `[^1]: note\n\n${source.replaceAll(/^(?=.)/gm, '    ')}`, true]
  yield ['code span', 'inline code across a line break', `Write \`\n${source}\n\` then`, true]
  yield ['code span', 'unclosed inline code', `Write \`\n${source}\n`, false]
  const onOneLine = oneLine(syntax, example)
  if (onOneLine === undefined) return
  yield ['code span', 'inline code', `\`${onOneLine}\``, true]
  yield ['code span', 'inline code after a longer run', `\`\` a \`${onOneLine}\` b`, true]
  yield ['code span', 'inline code in a line', `write \`\` a\`b ${onOneLine} \`\` here`, true]
  yield ['html', '`<code>`', `Write <code> ${onOneLine} </code> here`, true]
  yield ['html', '`<code>` in a line', `Write <code>x ${onOneLine} y</code> here`, true]
  yield ['table', 'a table row', `| a | b |\n| --- | --- |\n| x | ${onOneLine} |`, true]
  yield ['footnote', 'the first line of a footnote', `[^1]: ${onOneLine}`, true]
  if (/^[^\w\s]/.test(onOneLine)) yield ['escape', 'a backslash', `Write \\${onOneLine} here`, true]
}

function oneLine(syntax: Syntax, call: CallToWrite): string | undefined {
  const line = syntax.format({ ...call, input: { path: 'one' } }).replaceAll('\n', ' ')
  return collectCalls(readPieces(syntax, [line])).length === 1 ? line : undefined
}
