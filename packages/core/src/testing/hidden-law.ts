import type { Chunk } from '../stream/chunk.ts'
import type { Syntax } from '../syntax/syntax.ts'
import { joinDeltas, joinText } from './join-deltas.ts'
import { collectCalls, failLaw, hasToolChunk, type Law, looseTool, readPieces, type Trial } from './law.ts'

/** How comments and elements that show code as typed begin and end. */
export const htmlPairs: readonly (readonly [open: string, close: string])[] = [
  ['<!--\n', '\n-->'],
  ['<!-- a > b\n', '\n--->'],
  ['<!-- <!-- -- \n\n', '\n\n-->'],
  ['<!-- ```\n', '\n```\n-->'],
  ['<pre>\n', '\n</pre>'],
  ['<PRE>\n', '\n</pre >'],
  ['<Pre class="a>b">\n', '\n</PRE\n>'],
  ["<pre title='</pre>'>\n", '\n</pre>'],
  ["<pre\n\tid=it's>\n", '\n</pre>'],
  ['<pre/>\n', '\n</pre>'],
  ['<pre><code>\n', '\n</code></pre>'],
  ['<pre><pre>x</pre>\n', '\n</pre>'],
  ['<pre><!-- </pre> -->\n\n', '\n\n</pre>'],
  ['<xmp>\n', '\n</xmp>'],
  ['<LISTING>\n', '\n</LISTING>'],
]

/** What may precede them: they apply anywhere except in code and reasoning. */
export const htmlPlaces: readonly string[] = [
  '',
  'Like this: ',
  'a `b` c ',
  'a lone ` and ',
  '- item ',
  '> quoted ',
  '| cell ',
  '[^1]: note ',
  'a\n\n    ',
  '\\',
  'a < b <p><',
  '<!-- x --> ',
  '```\nx\n```\n',
  '<think>x</think>\n',
]

/** What hides nothing of the lines after it: it begins no comment and no element, or closes what it begins. */
export const harmlessTexts: readonly string[] = [
  '<prefix> <preview ',
  '<!- <! -- </pre> -->',
  '`<!--` and `` ` <pre> ``',
  '```\n<!--\n```',
  '~~~\n<pre>\n~~~',
  '> ```\n> <!--\n> ```',
  '- ```\n  <pre>\n  ```',
  '- `<!--`',
  '| `<pre>` |',
  '<!-->',
  '<!--->',
  '<!---->',
  '<pre></pre>',
  '<code><!--</code>',
  '<CODE class="x"><pre></CODE >',
  '<think><!--</think>',
  '<details> <script> <style> <textarea> <template>',
  '&lt;!-- &lt;pre&gt;',
]

/**
 * A call in an HTML comment, in an element such as `<pre>`, or in indented code is text, wherever that begins and
 * however it is cut. A call after it is read. A call inside something that is never closed is reported, even if other
 * calls ran.
 */
export const noHiddenRuns: Law = {
  name: 'hidden calls never run',
  check(trial) {
    const { livesIn, generate, random, count } = trial
    for (let i = 0; i < count(5); i++) {
      const example = { ...generate.plainCall(), toolName: 'example' }
      const real = { ...generate.plainCall(), toolName: 'real', toolCallId: 'id2' }
      if (livesIn.html === undefined) {
        for (const before of random.list(4, 4, () => random.pick(htmlPlaces))) {
          for (const [open, close] of htmlPairs) checkHtml(trial, before + open, example, close, real)
        }
        for (const before of harmlessTexts) expectReal(trial, `${before}\n\n${trial.syntax.format(real)}\n`)
      }
      if (livesIn['indented code'] === undefined) checkIndented(trial, example, real)
    }
  },
}

type FormattedCall = Parameters<Syntax['format']>[0]

function checkHtml(trial: Trial, before: string, example: FormattedCall, close: string, real: FormattedCall): void {
  const { syntax } = trial
  const hiddenText = `${before}${syntax.format(example)}${close}`
  expectText(trial, hiddenText)
  expectReal(trial, `${hiddenText}\n\n${syntax.format(real)}\n`)
  const unclosed = `${before}${syntax.format(example)}\n`
  expectText(trial, unclosed)
  expectReported(trial, unclosed)
  expectReported(trial, `${syntax.format(real)}\n\n${unclosed}`)
}

/** Lines indented by four columns or a tab are code after a blank line, and aren't code at the start of the text. */
function checkIndented(trial: Trial, example: FormattedCall, real: FormattedCall): void {
  const { syntax, random } = trial
  const source = syntax.format(example)
  const indent = random.pick(['    ', '\t', '      ', '  \t'])
  const indented = source.replaceAll(/^(?=.)/gm, indent)
  for (const before of ['Like this:\n\n', 'a\n \t\n', 'a\r\n\r\n', `a\n\n${indent}b\n`, `a\n\n${indent}b\n\n`]) {
    expectText(trial, before + indented)
    expectReal(trial, `${before}${indented}\n\n${syntax.format(real)}\n`)
  }
}

function expectText(trial: Trial, text: string): void {
  const chunks = readAnyCut(trial, text)
  if (hasToolChunk(chunks)) failLaw('a hidden call runs', { text, chunks })
  if (joinText(chunks) !== text) failLaw('the hidden text is changed', { text, chunks })
}

function expectReal(trial: Trial, text: string): void {
  const calls = collectCalls(readAnyCut(trial, text))
  if (calls.length !== 1 || calls[0]?.toolName !== 'real') failLaw('a real call is not read', { text, calls })
}

/** Diagnostics are optional. A parser that has them must report the call. */
function expectReported({ syntax }: Trial, text: string): void {
  const parser = syntax.parser({ tools: [looseTool('example', 'read'), looseTool('real', 'read')] })
  parser.push(text)
  parser.end()
  const { diagnostics } = parser
  const isReported = diagnostics?.some(({ code, toolName }) => code === 'SYNTAX_EXAMPLE' && toolName === 'example')
  if (isReported === false) failLaw('a call in unclosed HTML is lost without a diagnostic', { text, diagnostics })
}

/** Compares the chunks with those of the same text cut in one random place, and into single characters. */
function readAnyCut({ syntax, random }: Trial, text: string): Chunk[] {
  const whole = readPieces(syntax, [text])
  const at = 1 + random.integer(text.length - 1)
  for (const pieces of [text.split(''), [text.slice(0, at), text.slice(at)]]) {
    const cut = readPieces(syntax, pieces)
    if (JSON.stringify(joinDeltas(cut)) !== JSON.stringify(joinDeltas(whole))) {
      failLaw('cutting the text elsewhere changes the chunks', { text, pieces, whole, cut })
    }
  }
  return whole
}
