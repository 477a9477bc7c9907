import { accumulate, type Chunk } from '@argot/core'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import { parseDocument, stringify } from 'yaml'
import { median, medianRatio, sampleInTurn } from './measure.ts'
import { readChange } from './read-newest.ts'
import { longCall, markedProse, pieces, prose, smallCalls, sourceCode } from './syntax-cases.ts'

/** Ten times the text may cost this much: linear, and a little for the collector, which has more to look through. */
export const growthLimit = 13
/** A growth over the limit is measured again: on a shared machine noise goes up, but not this often. */
const attempts = 3

const smallCount = 2_000

/** So that no work is thrown away as unused. */
let seen = 0

/** Pushes every piece into a parser and gives the number of chunks. */
export function readAll(syntax: Syntax, list: readonly string[]): number {
  const parser = syntax.parser()
  let count = 0
  for (const piece of list) count += parser.push(piece).length
  return count + parser.end().length
}

/** The same as a page does it: every chunk is folded, and after every piece of the model everything that is new is read. */
function readFolded(syntax: Syntax, list: readonly string[]): void {
  const parser = syntax.parser()
  const fold = accumulate()
  const reader = fold.reader()
  for (const piece of list) {
    for (const chunk of parser.push(piece)) fold.push(chunk)
    for (const change of reader.changes()) readChange(change)
  }
  for (const chunk of parser.end()) fold.push(chunk)
  fold.end()
  for (const change of reader.changes()) readChange(change)
  seen += fold.messages.length
}

function readBare(list: readonly string[]): void {
  let last: Chunk[] = []
  for (const piece of list) {
    let sum = 0
    for (let i = 0; i < piece.length; i++) sum += piece.charCodeAt(i)
    last = sum < 0 ? [] : [{ type: 'text-delta', id: 'text-0-1', delta: piece }]
    seen += last.length
  }
}

/** Millions of characters per CPU second, and how they compare. */
export interface Speed {
  small: number
  medium: number
  large: number
  growth: number
  /** What `yaml` alone takes for ten times the argument, where a syntax has it read the body; else undefined. */
  libraryGrowth?: number
  share: number
  /** 100 KB in one argument, with everything that is new read after every piece. */
  read: number
  calls: number
  /** CPU microseconds of one small call. */
  call: number
  text: number
  textShare: number
  /** How many chunks were read in all. */
  chunks: number
}

/** Measures one syntax. To be called in a process of its own: V8 has then learned from no other. */
export function measureSyntax(name: string, full: boolean): Speed {
  const syntax = syntaxes.get(name)
  const texts = [
    longCall(syntax, 10_000),
    longCall(syntax, 100_000),
    longCall(syntax, 1_000_000),
    smallCalls(syntax, smallCount),
    prose(300_000),
  ]
  const lists = texts.map(text => pieces(text))
  checkInput(syntax, lists[1]!)
  const [, medium = [], large = [], , words = []] = lists
  const works = [
    ...lists.map(list => () => {
      seen += readAll(syntax, list)
    }),
    () => readBare(large),
    () => readBare(words),
    () => readFolded(syntax, medium),
  ]
  const options = full ? {} : { samples: 7, atLeast: 40, warmUp: 250 }
  let samples = sampleInTurn(works, options)
  const growthOf = () => (medianRatio(samples[2]!, samples[1]!) * texts[1]!.length * 10) / texts[2]!.length
  for (let attempt = 1; attempt < attempts && growthOf() > growthLimit; attempt++)
    samples = sampleInTurn(works, options)
  const speed = (index: number) => texts[index]!.length / 1000 / median(samples[index]!)
  return {
    small: speed(0),
    medium: speed(1),
    large: speed(2),
    growth: growthOf(),
    ...(yamlSyntaxes.has(syntax.name) && { libraryGrowth: measureYaml() }),
    share: medianRatio(samples[5]!, samples[2]!),
    read: texts[1]!.length / 1000 / median(samples[7]!),
    calls: speed(3),
    call: (median(samples[3]!) * 1000) / smallCount,
    text: speed(4),
    textShare: medianRatio(samples[6]!, samples[4]!),
    chunks: seen,
  }
}

/** How fast `auto` is beside a dialect on the same text: 1 is as fast. */
export interface AutoShare {
  argument: number
  calls: number
  prose: number
  marked: number
  /** What `auto` takes for ten times the prose that is full of marks. */
  growth: number
}

/** Measures `auto` beside one dialect. To be called in a process of its own. */
export function measureAuto(name: string, full: boolean): AutoShare {
  const syntax = syntaxes.get(name)
  const auto = syntaxes.get('auto')
  const lists = [
    longCall(syntax, 100_000),
    smallCalls(syntax, smallCount),
    prose(100_000),
    markedProse(100_000),
    markedProse(1_000_000),
  ].map(text => pieces(text))
  const works = lists.flatMap(list =>
    [syntax, auto].map(reader => () => {
      seen += readAll(reader, list)
    }),
  )
  const samples = sampleInTurn(works, full ? {} : { samples: 9, atLeast: 40, warmUp: 250 })
  const share = (index: number) => medianRatio(samples[2 * index]!, samples[2 * index + 1]!)
  const growth = medianRatio(samples[9]!, samples[7]!)
  return { argument: share(0), calls: share(1), prose: share(2), marked: share(3), growth }
}

/** The syntaxes whose bodies the library `yaml` reads. */
const yamlSyntaxes: ReadonlySet<string> = new Set(['callout', 'fence'])

function measureYaml(): number {
  const works = [100_000, 1_000_000].map(length => {
    const text = stringify({ input: { path: 'src/lib.rs', content: sourceCode(length) } })
    return () => {
      seen += String(parseDocument(text, { uniqueKeys: false, prettyErrors: false }).toJS()).length
    }
  })
  const [small, large] = sampleInTurn(works)
  return medianRatio(large!, small!)
}

/** The parser must give the whole argument back before its speed counts. */
function checkInput(syntax: Syntax, list: readonly string[]): void {
  const parser = syntax.parser()
  const chunks = [...list.flatMap(piece => parser.push(piece)), ...parser.end()]
  const call = chunks.find(chunk => chunk.type === 'tool-input-available')
  const content = (call?.input as { content?: string } | undefined)?.content
  if (syntax.name !== 'native' && content !== sourceCode(100_000)) throw new Error(`${syntax.name} loses the argument.`)
}
