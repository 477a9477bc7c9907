import { argotMetadata, type Chunk } from '../stream/chunk.ts'
import { isChunk } from '../stream/chunk-problem.ts'
import type { ParserOptions, Syntax } from '../syntax/syntax.ts'
import { joinDeltas, joinText } from './join-deltas.ts'
import { collectCalls, failLaw, type Law, readPieces, type Trial } from './law.ts'

const options: ParserOptions[] = [
  {},
  { reasoning: 'parts' },
  { limit: 'one' },
  { limit: 'one-writer', readOnly: name => name.includes('read') },
]

/**
 * Every cut gives the same chunks: single characters, and one cut in every possible place. With low thoroughness, long
 * texts are cut in only some places.
 */
export const anyCut: Law = {
  name: 'any cut',
  check({ syntax, texts, generate, random, count }) {
    const most = Math.max(24, count(640))
    const cutEverywhere = (text: string, chosen: ParserOptions) => {
      const every = text.length - 1 <= most
      const places = Array.from({ length: every ? text.length - 1 : most }, (_, index) =>
        every ? index + 1 : 1 + random.integer(text.length - 1),
      )
      expectSameCut(syntax, text, places, chosen)
    }
    for (const text of texts) cutEverywhere(text, {})
    for (let i = 0; i < count(250); i++) {
      const { tool, call } = generate.call()
      const source = random.chance(2) ? `\n${syntax.format(call, tool)}\n` : ''
      const text = (generate.text(syntax.format) + source).slice(-240)
      cutEverywhere(text, { ...random.pick(options), ...(random.chance(2) ? { tools: [tool] } : {}) })
    }
  },
}

function expectSameCut(syntax: Syntax, text: string, places: readonly number[], chosen: ParserOptions): void {
  const whole = JSON.stringify(joinDeltas(readPieces(syntax, [text], chosen)))
  const compare = (pieces: string[]) => {
    const cut = JSON.stringify(joinDeltas(readPieces(syntax, pieces, chosen)))
    if (cut !== whole) failLaw('cutting the text elsewhere changes the chunks', { text, pieces, chosen, whole, cut })
  }
  compare(text.split(''))
  for (const at of places) compare([text.slice(0, at), text.slice(at)])
}

/**
 * Any text gives well-formed chunks: each call starts once and settles once, and each error says what happened, where,
 * and how to fix it.
 */
export const noThrow: Law = {
  name: 'no throw',
  check({ syntax, generate, random, count }) {
    for (let i = 0; i < count(4000); i++) {
      const text = generate.text(syntax.format)
      const chosen = random.pick(options)
      const chunks = readPieces(syntax, [text], chosen)
      const problem = findOrderProblem(chunks)
      if (problem !== undefined) failLaw(problem, { text, chosen, chunks })
    }
  },
}

function findOrderProblem(chunks: readonly Chunk[]): string | undefined {
  let open: string | undefined
  for (const chunk of chunks) {
    if (!isChunk(chunk)) return 'the parser returned something other than a chunk'
    const place = getPlace(chunk)
    if (place === undefined) continue
    if (place.at === 'start') {
      if (open !== undefined) return `${chunk.type} comes within another part or call`
      open = place.of
      continue
    }
    if (open !== place.of) return `${chunk.type} has no open part or call`
    if (place.at === 'end') open = undefined
    const problem = chunk.type === 'tool-input-error' ? findErrorProblem(chunk) : undefined
    if (problem !== undefined) return problem
  }
  return open === undefined ? undefined : 'a part or call is left open'
}

/** The part or call a chunk belongs to, and whether the chunk starts or ends it. */
function getPlace(chunk: Chunk): { of: string; at: 'start' | 'middle' | 'end' } | undefined {
  switch (chunk.type) {
    case 'text-start':
    case 'reasoning-start':
      return { of: `part ${chunk.id}`, at: 'start' }
    case 'text-delta':
    case 'reasoning-delta':
      return { of: `part ${chunk.id}`, at: 'middle' }
    case 'text-end':
    case 'reasoning-end':
      return { of: `part ${chunk.id}`, at: 'end' }
    case 'tool-input-start':
      return { of: `call ${chunk.toolCallId}`, at: 'start' }
    case 'tool-input-delta':
      return { of: `call ${chunk.toolCallId}`, at: 'middle' }
    case 'tool-input-available':
    case 'tool-input-error':
      return { of: `call ${chunk.toolCallId}`, at: 'end' }
    default:
      return undefined
  }
}

function findErrorProblem(chunk: Chunk & { type: 'tool-input-error' }): string | undefined {
  const metadata = argotMetadata(chunk)
  if (typeof metadata?.code !== 'string' || typeof metadata.offset !== 'number') return 'an error has no code or offset'
  return chunk.errorText === '' || typeof chunk.input !== 'string' ? 'an error has no message or source' : undefined
}

/** Text outside calls comes out complete and in order. An error contains its call's source. */
export const wholeText: Law = {
  name: 'whole text',
  check(trial) {
    const { syntax, generate, random, count } = trial
    for (let i = 0; i < count(500); i++) {
      const prose = [generate.prose(), ...random.list(1, 3, () => `\n${generate.prose()}`)]
      const calls = prose.slice(1).map(() => generate.stringCall())
      const text = prose.map((part, at) => part + (calls[at] === undefined ? '' : syntax.format(calls[at]))).join('')
      const chunks = readPieces(syntax, [text])
      if (joinText(chunks) !== prose.join('')) failLaw('the text is changed', { text, prose, chunks })
      if (collectCalls(chunks).length !== calls.length) failLaw('a call is lost', { text, chunks })
    }
    for (let i = 0; i < count(3000); i++) {
      const text = generate.text(syntax.format)
      const chunks = readPieces(syntax, [text])
      if (collectCalls(chunks).length > 0) continue
      const sources = chunks
        .map(chunk => (chunk.type === 'tool-input-error' ? chunk.input : joinText([chunk])))
        .join('')
      if (removeSilent(syntax, sources) !== removeSilent(syntax, text))
        failLaw("the text and the sources of errors don't add up to the input", { text, sources, chunks })
    }
  },
}

function removeSilent({ silent = [] }: Syntax, text: string): string {
  return silent.reduce((rest, token) => rest.replaceAll(token, ''), text)
}

/** The work per character is bounded: at most three steps of the reader, and at most three readings of it. */
export const linear: Law = {
  name: 'linear',
  check(trial) {
    const { syntax, shards, generate, random, count } = trial
    const length = Math.min(20_000, Math.max(600, count(20_000)))
    const texts = [
      ...shards.map(shard => shard.repeat(Math.ceil(length / shard.length))),
      ...shards.map(shard => `\`${shard.replaceAll('\n', ' ').repeat(Math.ceil(length / shard.length))}`),
      ...random.list(20, 20, () => random.list(length / 50, length / 50, () => generate.text(syntax.format)).join('')),
      syntax.format({ toolCallId: '', toolName: 'x', input: { content: 'a "line"\n'.repeat(length / 10) } }),
      `\`${'``` a '.repeat(length / 6)}`,
    ]
    for (const text of texts) {
      for (const pieces of [[text], text.split('')]) {
        const { steps, reread } = countWork(trial, pieces)
        if (steps === 0)
          failLaw('the reader does not call `trace`, so its work cannot be counted', { text: text.slice(0, 200) })
        const most = 3 * text.length + 100
        if (steps > most || reread + text.length > most) {
          failLaw('the reader does too much work', {
            text: text.slice(0, 200),
            pieces: pieces.length,
            length: text.length,
            steps,
            reread,
          })
        }
      }
    }
  },
}

/** `reread` is the number of characters that the reader read again, according to its trace. */
function countWork({ syntax }: Trial, pieces: readonly string[]): { steps: number; reread: number } {
  let steps = 0
  let reread = 0
  let lastOffset = 0
  readPieces(syntax, pieces, {
    trace({ offset }) {
      steps++
      if (offset < lastOffset) reread += lastOffset - offset
      lastOffset = offset
    },
  })
  return { steps, reread }
}
