import { writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import { peerVersion, readTextWithPeer } from './dialect-peer.ts'
import { type DialectText, dialectTexts, tools } from './dialect-texts.ts'
import type { BenchOptions } from './run.ts'
import { table } from './table.ts'

interface Row {
  name: string
  own: number
  auto: number
  peer: number | undefined
  texts: number
  wrong: number
  cuts: number
}

/** Reads texts of every dialect as itself, with `auto` and with the peer; each is cut at every place. */
export async function run({ chart }: BenchOptions): Promise<boolean> {
  const rows: Row[] = []
  for (const name of syntaxes.names()) if (!['native', 'auto'].includes(name)) rows.push(await measure(name))
  const sum = (field: 'own' | 'auto' | 'texts' | 'wrong' | 'cuts') => rows.reduce((all, row) => all + row[field], 0)
  const lines = table(
    ['syntax', 'texts', 'read by itself', 'read by auto', '@ai-sdk-tool/parser', 'cuts tried'],
    [
      ...rows.map(({ name, texts, own, auto, peer, cuts }) => [name, texts, own, auto, peer, cuts]),
      ['all', sum('texts'), sum('own'), sum('auto'), undefined, sum('cuts')],
    ],
  )
  console.log(lines)
  console.log(`\ncalls with another input than was meant: ${sum('wrong')}`)
  if (chart !== undefined) writeFileSync(chart, page(lines, sum('wrong')))
  return sum('wrong') === 0 && sum('own') === sum('texts')
}

async function measure(name: string): Promise<Row> {
  const syntax = syntaxes.get(name)
  const auto = syntaxes.get('auto')
  const row: Row = { name, own: 0, auto: 0, peer: undefined, texts: 0, wrong: 0, cuts: 0 }
  for (const each of dialectTexts(syntax)) {
    row.texts++
    const read = callsOf(syntax, [each.text])
    if (isRight(read, each)) row.own++
    row.wrong += wrongIn(read, each)
    for (let at = 1; at < each.text.length; at++) {
      row.cuts++
      if (callsOf(syntax, [each.text.slice(0, at), each.text.slice(at)]).join() !== read.join()) row.wrong++
    }
    const readByAuto = callsOf(auto, [each.text])
    if (isRight(readByAuto, each)) row.auto++
    row.wrong += wrongIn(readByAuto, each)
    const peer = await readTextWithPeer(name, each.text)
    if (peer !== undefined) row.peer = (row.peer ?? 0) + (isRight(peer, each) ? 1 : 0)
  }
  return row
}

function callsOf(syntax: Syntax, pieces: readonly string[]): string[] {
  const parser = syntax.parser({ tools })
  const chunks = [...pieces.flatMap(piece => parser.push(piece)), ...parser.end()]
  return chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [JSON.stringify(chunk.input)] : []))
}

function isRight(read: readonly string[], { inputs }: DialectText): boolean {
  return read.length === inputs.length && inputs.every((input, index) => isSame(read[index] ?? '', input))
}

/** Calls that nobody wrote. One that is missing is not wrong. */
function wrongIn(read: readonly string[], { inputs }: DialectText): number {
  return read.filter(each => !inputs.some(input => isSame(each, input))).length
}

function isSame(json: string, input: object): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(json), input)
  } catch {
    return false
  }
}

function page(lines: string, wrong: number): string {
  return `# What is read, measured

Made by \`npm run bench -- dialects --chart docs/dialects.md\` on ${new Date().toISOString().slice(0, 10)} with Node ${process.version} and
\`@ai-sdk-tool/parser\` ${peerVersion()}. Each syntax has the same kinds of text: a call alone, after prose, after reasoning, two
in a row, values with quotes, line breaks, tags and Unicode, lists and objects, a call in a code fence (which must stay text),
and one that is cut off (which must not run; not of \`callout\`, which the end of the text ends). A text counts when exactly its calls come out, with exactly their inputs. Every
text is also cut in two at every place, and must then give the same. \`-\`: the peer does not read that dialect.

${lines}

Calls with another input than was meant, in all of these readings: ${wrong}.

\`auto\` takes calls without a mark of their own only as the first thing of a reply, and does not read \`callout\` and \`fence\`,
whose marks are those of Markdown: these texts it leaves as they are. Every syntax keeps the laws of
[the conformance suite](write-a-syntax.md); which dialect is whose is in [syntaxes/dialects.md](syntaxes/dialects.md).
`
}
