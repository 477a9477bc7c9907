import { Reader, type Syntax, syntaxes } from '@argot/core/syntax'
import { findExamplePlace } from './find-example-place.ts'
import { ReadLog } from './read-log.ts'
import type { CallReading, Example, NearMiss, Reading, ReadRequest, Segment } from './reading.ts'
import { SourceMap } from './source-map.ts'

/** A computation that may pause at every `yield`, so that a worker can check for newer requests. */
export type Slices<T> = Generator<undefined, T, undefined>

type ReplyParser = ReturnType<Syntax['parser']>

const SLICE_CHARACTERS = 20_000
const MOST_EXAMPLES = 50

export function finish<T>(slices: Slices<T>): T {
  for (;;) {
    const step = slices.next()
    if (step.done === true) return step.value
  }
}

/** Reads a reply one character at a time, with the same reader that every program uses. */
export function* readReply({ text, syntax, tools }: ReadRequest): Slices<Reading> {
  const parser = syntaxes.get(syntax).parser({ tools, reasoning: 'parts' })
  const own = yield* pushAll(parser, text)
  const calls = own.map.ranges.map(range => own.log.toCall(range))
  const bare = parser instanceof Reader ? yield* pushAll(parser.bare(), text) : undefined
  const examples = bare === undefined ? [] : findExamples(text, own, bare)
  const segments = withExamples(own.map.segments, examples)
  const misses = yield* findMisses({ text, syntax, tools }, segments)
  return { syntax, length: text.length, segments, calls, examples, misses, events: own.log.events }
}

interface Pass {
  map: SourceMap
  log: ReadLog
  /** Calls that the reader skipped because a backslash or code is right before them. */
  skipped: { toolName: string; start: number; end: number }[]
}

function* pushAll(parser: ReplyParser, text: string): Slices<Pass> {
  const map = new SourceMap(text)
  const log = new ReadLog(text.length)
  const skipped: Pass['skipped'] = []
  for (let at = 1; at <= text.length; at++) {
    const chunks = parser.push(text.charAt(at - 1))
    const call = parser instanceof Reader ? parser.call : undefined
    if (call !== undefined) noteCall(call, at, map, skipped)
    if (chunks.length > 0) {
      map.take(chunks, getDecidedEnd(parser, at))
      log.add(at, map.end, chunks)
    }
    if (at % SLICE_CHARACTERS === 0) yield
  }
  const chunks = parser.end()
  map.take(chunks, getDecidedEnd(parser, text.length))
  map.finish()
  log.add(text.length + 1, map.end, chunks)
  return { map, log, skipped }
}

/** Up to which offset the parser has decided what the text is. */
function getDecidedEnd(parser: ReplyParser, read: number): number {
  return parser instanceof Reader ? Math.min(parser.decided, read) : read
}

/** Notes where the open call is. An example has no id. */
function noteCall(
  { id, name, offset }: NonNullable<Reader['call']>,
  at: number,
  map: SourceMap,
  skipped: Pass['skipped'],
): void {
  if (id !== '') return map.begin(id, offset)
  const last = skipped.at(-1)
  // The call is no longer open when its last character has been read.
  if (last?.start === offset) last.end = at + 1
  else skipped.push({ toolName: name, start: offset, end: at + 1 })
}

/** The calls that a reader finds if nothing hides them, for a reply with text. */
function findExamples(text: string, own: Pass, bare: Pass): Example[] {
  const { segments } = own.map
  const hidden = bare.map.ranges
    .map(range => bare.log.toCall(range))
    .filter(({ failure }) => !isUnclosed(failure?.code))
  const candidates = new Map<number, Omit<Example, 'place'>>(
    [...own.skipped, ...hidden].map(each => [each.start, each]),
  )
  const examples: Example[] = []
  let index = 0
  for (const { toolName, input, start, end } of [...candidates.values()].sort((a, b) => a.start - b.start)) {
    while ((segments[index]?.end ?? Number.POSITIVE_INFINITY) <= start) index++
    const segment = segments[index]
    const isText = segment?.kind === 'text' || segment?.kind === 'reasoning'
    if (!isText || toolName === 'unknown' || start < (examples.at(-1)?.end ?? 0)) continue
    const last = trimEnd(text, start, Math.min(end, segment.end))
    if (last === start) continue
    const place = segment.kind === 'reasoning' ? 'reasoning' : findExamplePlace(text, start)
    examples.push({ toolName, input, place, start, end: last })
    if (examples.length === MOST_EXAMPLES) break
  }
  return examples
}

/** A call that never ends is listed as a near miss: it would take the rest of the text with it. */
function isUnclosed(code: string | undefined): boolean {
  return code?.startsWith('SYNTAX_UNCLOSED') === true
}

function trimEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length
}

function withExamples(segments: readonly Segment[], examples: readonly Example[]): Segment[] {
  const all: Segment[] = []
  let index = 0
  for (const segment of segments) {
    let { start } = segment
    for (
      let example = examples[index];
      example !== undefined && example.start < segment.end;
      example = examples[++index]
    ) {
      if (example.start < start) continue
      if (example.start > start) all.push({ ...segment, start, end: example.start })
      all.push({ kind: 'example', start: example.start, end: example.end, index })
      start = example.end
    }
    if (start < segment.end) all.push({ ...segment, start })
  }
  return all
}

/**
 * What looks like a call in the text. A reader reports near misses only for a reply without calls, because a loop then
 * asks the model again. So this function blanks out calls and examples first.
 */
function* findMisses({ text, syntax, tools }: ReadRequest, segments: readonly Segment[]): Slices<NearMiss[]> {
  if (tools.length === 0) return []
  const rest = segments
    .map(({ kind, start, end }) => {
      const source = text.slice(start, end)
      return kind === 'text' ? source : source.replace(/[^\n]/g, ' ')
    })
    .join('')
  if (!tools.some(({ name }) => rest.includes(name))) return []
  const parser = syntaxes.get(syntax).parser({ tools })
  for (let at = 0; at < rest.length; at += SLICE_CHARACTERS) {
    parser.push(rest.slice(at, at + SLICE_CHARACTERS))
    yield
  }
  parser.end()
  return (parser.diagnostics ?? []).map(({ code, toolName, offset, message, cure = '' }) => ({
    code,
    toolName,
    offset,
    message,
    cure,
  }))
}

/** The usable calls, as one string to compare. */
export function signCalls(calls: readonly Pick<CallReading, 'toolName' | 'input' | 'failure'>[]): string {
  const complete = calls.filter(({ failure }) => failure === undefined)
  return JSON.stringify(complete.map(({ toolName, input }) => [toolName, input]))
}
