import { checkChatMd, parseChatMd } from 'argot/chatmd'
import { XMLParser } from 'fast-xml-parser'
import { type Cell, table } from './table.ts'

/** 10 MB of transcript: prompts, answers in Markdown, reasoning, calls with payloads inside and beside the file. */
const LENGTH = 10 * 1024 * 1024
const ROUNDS = 9
/** How much dearer a character may be in ten times the text: a larger heap costs, a quadratic reader would show 10. */
const GROWTH = 4

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

/** The best of some rounds, in milliseconds. Rounds take turns, so that the noise of a shared machine hits all alike. */
function best(...work: (() => unknown)[]): number[] {
  const least = work.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, one] of work.entries()) {
      const start = performance.now()
      one()
      least[i] = Math.min(least[i]!, performance.now() - start)
    }
  }
  return least
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
  const sizes = [LENGTH / 100, LENGTH / 10, LENGTH]
  const rows: Cell[][] = []
  let ok = true
  const figures = sizes.map(size => {
    const { chatmd, xml } = transcript(size)
    const [parse, check, peer] = best(
      () => parseChatMd(chatmd),
      () => checkChatMd(chatmd),
      () => parser.parse(xml),
    ) as [number, number, number]
    const perCharacter = (parse * 1e6) / chatmd.length
    rows.push([chatmd.length / 1048576, parse, perCharacter, check, check / parse, peer, parse / peer])
    return { parse, check, peer, length: chatmd.length }
  })
  const headings = ['MB', 'parse ms', 'ns/char', 'check ms', 'check/parse', 'fast-xml-parser ms', 'parse/peer']
  console.log(`${table(headings, rows)}\n`)
  const [one, ten, hundred] = figures.map(figure => figure.parse / figure.length) as [number, number, number]
  console.log(
    `cost per character: 1× → 10× ${(ten / one).toFixed(2)}, 10× → 100× ${(hundred / ten).toFixed(2)} (bound ${GROWTH})`,
  )
  const last = figures.at(-1)!
  if (hundred / ten > GROWTH || ten / one > GROWTH) ok = false
  if (last.parse > 1.5 * last.peer) ok = false
  if (last.check > 2 * last.parse) ok = false
  return hostileRows(full) && ok
}

function hostileRows(full: boolean): boolean {
  const size = full ? 2_000_000 : 400_000
  const rows: Cell[][] = []
  let ok = true
  for (const [name, shard] of hostile) {
    const times = [size / 4, size].map(length => {
      const text = shard.repeat(Math.ceil(length / shard.length))
      const start = performance.now()
      checkChatMd(text)
      return performance.now() - start
    })
    const growth = times[1]! / times[0]!
    rows.push([name, times[0], times[1], growth])
    if (growth > 9 && times[1]! > 200) ok = false
  }
  console.log(`\n${table(['hostile', 'ms at ¼', 'ms', 'growth per 4×'], rows)}\n`)
  return ok
}
