import { checkChatMd, expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import { XMLParser } from 'fast-xml-parser'
import { type Cell, numberText, table } from './table.ts'

/** 10 MB of transcript: prompts, answers in Markdown, reasoning, calls with payloads inside and beside the file. */
const LENGTH = 10 * 1024 * 1024
const ROUNDS = 4
/** From 10× to 100× the time grows with this power of the size at most: a larger heap costs, a quadratic reader shows 2. */
const EXPONENT = 1.3
/** A bound that is broken gets more rounds: what others do on the machine only ever adds. */
const ATTEMPTS = 3

interface Texts {
  chatmd: string
  xml: string
}

/** A transcript of about `size` characters, and the same elements with the same text as XML. */
export function transcript(size: number): Texts {
  const chatmd = ['<config model="gpt-4o" temperature="0.2" show_tool_call/>\n\n<tool name="read_file"/>\n']
  const xml = ['<chat><config model="gpt-4o" temperature="0.2" show_tool_call="true"/>\n\n<tool name="read_file"/>\n']
  let length = 0
  for (let n = 0; length < size; n++) {
    const turn = turnOf(n)
    for (const { name, attributes, body, raw, reference } of turn) {
      const list = attributes.map(([key, value]) => ` ${key}="${value}"`).join('')
      const inner = reference ? `\n  <doc src="${body}" local/>\n` : raw ? `\nRAW|\n${body}\n|RAW\n` : `\n${body}\n`
      const xmlInner = reference
        ? `\n  <doc src="${body}" local="true"/>\n`
        : `\n${raw ? `<![CDATA[${body}]]>` : body.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}\n`
      const text = `\n<${name}${list}>${inner}</${name}>\n`
      chatmd.push(text)
      xml.push(`\n<${name}${list}>${xmlInner}</${name}>\n`)
      length += text.length
    }
  }
  return { chatmd: chatmd.join(''), xml: `${xml.join('')}</chat>` }
}

interface Sample {
  name: string
  attributes: [string, string][]
  body: string
  raw?: boolean
  reference?: boolean
}

function turnOf(n: number): Sample[] {
  const message: [string, string] = ['message', `msg_${n}`]
  const call: [string, string] = ['tool_call_id', `call_${n}`]
  const json = JSON.stringify({ path: `src/file-${n}.ts`, offset: n, query: 'if (a < b && c > d)' }, null, 2)
  const listing = `export function f${n}(a: number): number {\n  return a < 0 ? -a : a // <T>\n}\n`.repeat(6)
  const prose = `The function \`f${n}\` is **fine**, and x < y holds.\n\n- one\n- two & three\n\n`.repeat(5)
  return [
    { name: 'user', attributes: [['id', `u_${n}`]], body: `Please look at file ${n}: is 1 < 2 there?` },
    { name: 'reasoning', attributes: [['id', `rs_${n}`], message], body: 'I should read the file first.\n'.repeat(3) },
    {
      name: 'tool_call',
      attributes: [call, ['function_name', 'read_file'], ['id', `fc_${n}`], message, ['offset', `${n * 10}`]],
      body: json,
      raw: true,
    },
    { name: 'tool_response', attributes: [call, message, ['ms', `${n % 90}`]], body: listing, raw: true },
    {
      name: 'tool_call',
      attributes: [['tool_call_id', `ext_${n}`], ['function_name', 'grep'], message],
      body: `./.chatmd/${n}.tool-call.ext_${n}.json`,
      reference: true,
    },
    {
      name: 'tool_response',
      attributes: [['tool_call_id', `ext_${n}`], message],
      body: `./.chatmd/${n}.tool-call-result.ext_${n}.json`,
      reference: true,
    },
    { name: 'assistant', attributes: [['id', `txt_${n}`], message, ['phase', 'final']], body: prose },
  ]
}

/** One work at the sizes 1×, 10× and 100×, with the least CPU milliseconds of each so far. */
interface Row {
  name: string
  works: readonly (() => unknown)[]
  least: number[]
}

/** Rounds take turns, rows and sizes, so that the noise of a shared machine hits all alike. */
async function takeRounds(rows: readonly Row[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) {
      for (const [index, work] of row.works.entries()) {
        const time = await cpuOf(work)
        row.least[index] = Math.min(row.least[index] ?? Number.POSITIVE_INFINITY, time)
      }
    }
  }
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function exponentOf({ least }: Row): number {
  return Math.log10(least[2]! / least[1]!)
}

/** Gives an empty file for everything that a document names, so that no disk is measured. */
const nothingThere: Resolver = { resolve: async ({ src }) => ({ ok: true, text: '{}', file: src }) }

let seen = 0

/** Reads a document as one that runs it does: every message, every piece of it. */
async function readMessages(text: string): Promise<void> {
  const { messages } = await expand(parseChatMd(text).document, { resolver: nothingThere })
  for (const { message } of messages) {
    for (const part of message.parts) if (part.type === 'text') seen += part.text.charCodeAt(part.text.length - 1) || 0
  }
}

/** Texts in which nothing is ever closed, at which a careless reader would go quadratic. */
const hostile: readonly (readonly [string, string])[] = [
  ['RAW that never closes', 'RAW|\n<user>\n'],
  ['comments that never close', '<!--\n<user>\n'],
  ['quotes that never close', '<user a="\n'],
  ['escaped quotes', '<user a=\\"\\"x\n'],
  ['comments in quotes', '<user a="<!--\n'],
  ['tags that never close', '<user '],
  ['elements that never close', '<user>\n'],
  ['agents in agents', '<agent src=a>'],
  ['closing tags', '</user>'],
  ['backslashes', '<user a="\\\\\\\\'],
  ['backticks', '<user>` <doc src="a"/> ``\n'],
  ['attributes', '<user a a=b c="d" '],
]

/** Prints the figures; false when a bound is broken. */
export async function run({ full }: { full: boolean }): Promise<boolean> {
  const parser = new XMLParser({ ignoreAttributes: false, preserveOrder: true, processEntities: true })
  const texts = [LENGTH / 100, LENGTH / 10, LENGTH].map(transcript)
  const row = (name: string, work: (texts: Texts) => unknown): Row => ({
    name,
    works: texts.map(one => () => work(one)),
    least: [],
  })
  const parse = row('parseChatMd', ({ chatmd }) => parseChatMd(chatmd))
  const check = row('checkChatMd', ({ chatmd }) => checkChatMd(chatmd))
  const everything = row('parseChatMd, expand, everything read', ({ chatmd }) => readMessages(chatmd))
  const peer = row('fast-xml-parser 5.12.0, the same as XML', ({ xml }) => parser.parse(xml))
  const rows = [everything, parse, check, peer]
  let broken: string[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await takeRounds(rows)
    broken = brokenPromises(parse, check, peer)
    if (broken.length === 0) break
  }
  console.log(`CPU ms of the whole process, the least of several rounds, rows and sizes in turn, all warm; the peer as well. A document
is read whole: it has no chunks, so everything is read once. The exponent is that from 10× to 100×.\n`)
  const sizes = texts.map(({ chatmd }) => `${numberText(chatmd.length / 1048576)} MB`)
  const lines = rows.map(one => [
    one.name,
    ...one.least,
    exponentOf(one).toFixed(2),
    (one.least[2]! * 1e6) / texts[2]!.chatmd.length,
  ])
  console.log(`${table(['', ...sizes, 'exponent', 'ns/char'], lines)}\n`)
  const ok = hostileRows(full)
  for (const sentence of broken) console.log(`✗ ${sentence}`)
  if (broken.length === 0 && ok) console.log(`✓ Every promise held. (${seen} read)`)
  return ok && broken.length === 0
}

function brokenPromises(parse: Row, check: Row, peer: Row): string[] {
  const broken: string[] = []
  for (const one of [parse, check]) {
    if (exponentOf(one) > EXPONENT) broken.push(`${one.name} grows with the power ${exponentOf(one).toFixed(2)}.`)
  }
  const [ours, checking, theirs] = [parse, check, peer].map(({ least }) => least[2]!) as [number, number, number]
  if (ours > 1.5 * theirs) broken.push(`${parse.name} takes ${numberText(ours / theirs)} times as long as the peer.`)
  if (checking > 2 * ours) broken.push(`${check.name} takes ${numberText(checking / ours)} times as long as parsing.`)
  return broken
}

function hostileRows(full: boolean): boolean {
  const size = full ? 2_000_000 : 400_000
  const rows: Cell[][] = []
  let ok = true
  for (const [name, shard] of hostile) {
    const times = [size / 4, size].map(length => {
      const text = shard.repeat(Math.ceil(length / shard.length))
      const before = process.cpuUsage()
      checkChatMd(text)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    })
    const growth = times[1]! / times[0]!
    rows.push([name, times[0], times[1], growth])
    if (growth > 9 && times[1]! > 200) ok = false
  }
  console.log(`\n${table(['hostile', 'ms at ¼', 'ms', 'growth per 4×'], rows)}\n`)
  return ok
}
