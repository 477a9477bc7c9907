import fc from 'fast-check'
import { share } from '../../../../test/share-of-cases.ts'
import { quoteAttribute } from '../../src/chatmd/reader/attribute.ts'
import { tagNames } from '../../src/chatmd/reader/tag.ts'

/** How many texts a law is tried on: its share, and `FUZZ=100` makes it a hundred times as many. */
export function runs(count: number): number {
  return Math.ceil(count * Number(process.env.FUZZ ?? share))
}

/** Shreds of the language and of what is easily taken for it. */
export const shards: readonly string[] = [
  ...tagNames.flatMap(name => [`<${name}>`, `</${name}>`, `<${name}/>`, `<${name} `, `\n<${name}>`, `\n</${name}>\n`]),
  'RAW|',
  '|RAW',
  'RAW',
  '|',
  '<!--',
  '-->',
  '<',
  '</',
  '>',
  '/>',
  '"',
  "'",
  '\\',
  '\\"',
  '=',
  ' src="a"',
  " id='b'",
  ' local',
  ' role="user"',
  '&lt;',
  '&',
  '`',
  '```\n',
  '~~~\n',
  '\n',
  '\r\n',
  '\r',
  '\t',
  ' ',
  '\0',
  '\ufeff',
  '😀',
  'é',
  '__proto__="x"',
  '<b>',
  'a < b',
  'x',
  'Hello, world.',
]

/** A payload that tries to break out: well-formed, otherwise anything. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.array(fc.constantFrom(...shards), { maxLength: 12 }).map(parts => parts.join('')),
  fc
    .array(fc.oneof(fc.constantFrom(...shards), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 10 })
    .map(parts => parts.join('').toWellFormed()),
)

const name = fc.constantFrom('id', 'name', 'local', 'x-y', 'a:b', '__proto__', 'constructor', 'src', 'state')
const blank = fc.constantFrom(' ', '  ', '\n', '\t', '\r\n ')
const attribute = fc.oneof(
  name,
  fc
    .tuple(name, fc.constantFrom('=', ' = ', '\n='), hostileText)
    .map(([key, equals, value]) => key + equals + quoteAttribute(value)),
  fc.tuple(name, fc.constantFrom('a', '0.5', 'b/c.md', 'é')).map(([key, value]) => `${key}=${value}`),
)
const attributes = fc
  .array(fc.tuple(blank, attribute), { maxLength: 3 })
  .map(list => list.map(([gap, one]) => gap + one).join(''))

/** Text that holds no tag, no RAW block and no comment. */
const prose = fc
  .array(
    fc.constantFrom(
      'Hello ',
      '<b>',
      ' a < b ',
      '\n',
      '\r\n',
      '`code`',
      '\t',
      '😀',
      '&lt;',
      '"',
      "don't ",
      '|RAW ',
      '\r',
      '> ',
    ),
    { maxLength: 6 },
  )
  .map(parts => parts.join(''))
const raw = hostileText
  .map(text => `RAW|${text.replaceAll('|RAW', '')}|RAW`)
  .filter(text => text.indexOf('|RAW') === text.length - 4)
const comment = fc.constantFrom('<!-- note -->', '<!---->', '<!--\n<user>\n-->', '<!-- RAW| -->')
const local = fc.constantFrom('', ' local', ' strip', ' markdown strip local')
const helper = fc
  .tuple(fc.constantFrom('doc', 'img', 'import'), fc.constantFrom('a.md', 'b c.md', 'd/e'), local)
  .map(([tag, src, flags]) => `<${tag} src="${src}"${tag === 'doc' ? flags : ''}/>`)
const inline = fc.oneof({ weight: 4, arbitrary: prose }, raw, comment, helper)
const body = fc.array(inline, { maxLength: 5 }).map(parts => parts.join(''))
const agent = fc
  .tuple(body, fc.constantFrom('', ' local'))
  .map(([text, flag]) => `<agent src="x.chatmd"${flag}>${text}</agent>`)
const richBody = fc
  .array(fc.oneof({ weight: 5, arbitrary: inline }, agent), { maxLength: 5 })
  .map(parts => parts.join(''))
const gap = fc.constantFrom('', '\n', '\n\n', '\r\n', '  ', '\n\n\n\n', '\t\n')
const payload = fc.oneof(
  raw,
  fc.array(raw, { minLength: 2, maxLength: 3 }).map(list => list.join('\n')),
  prose,
  fc.constantFrom('<doc src="./.chatmd/0.tool-call.c.json" local/>', "<doc  local src='a' ></doc>", "<doc  src='a' />"),
  comment,
  body,
)

const element: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('user', 'system', 'developer', 'assistant'),
      attributes,
      richBody,
      fc.constantFrom('', ' ', '\n'),
    )
    .map(([tag, list, text, end]) => `<${tag}${list}>${text}</${tag}${end}>`),
  fc
    .tuple(fc.constantFrom('user', 'assistant', 'system', 'tool'), body)
    .map(([role, text]) => `<msg role="${role}">${text}</msg>`),
  fc
    .tuple(gap, payload, gap)
    .map(([a, text, b]) => `<tool_call function_name="f" tool_call_id="c">${a}${text}${b}</tool_call>`),
  fc.tuple(gap, payload, gap).map(([a, text, b]) => `<tool_response tool_call_id="c">${a}${text}${b}</tool_response>`),
  fc.tuple(body, gap).map(([text, a]) => `<reasoning id="r">${a}<summary>${text}</summary>${a}</reasoning>`),
  fc.constantFrom(
    '<config model="m" temperature="0.2"/>',
    "<config model='a b'\n  show_tool_call></config>",
    '<tool name="read_file"/>',
    '<tool   name="rg" command="rg"\n description="say \\"hi\\" &amp; go" />',
    '<tool mcp_server="https://x.dev" includes="a,b" strict/>',
    '<import src="more.chatmd"/>',
    '<!-- note -->',
    '<user/>',
    '<tool_call function_name="f" tool_call_id="d"/>',
  ),
)

/** Documents without errors, in every layout. */
export const documents: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(fc.tuple(gap, element), { maxLength: 6 }), gap)
  .map(([bom, list, end]) => bom + list.map(([before, one]) => before + one).join('') + end)

/** Documents with pieces lost, doubled, moved or put in. */
const mutated = fc
  .tuple(
    documents,
    fc.array(fc.tuple(fc.nat(), fc.nat(12), fc.oneof(fc.constant(''), fc.constantFrom(...shards))), { maxLength: 4 }),
  )
  .map(([source, edits]) =>
    edits.reduce((text, [at, drop, put]) => {
      const place = text.length === 0 ? 0 : at % text.length
      return text.slice(0, place) + put + text.slice(place + drop)
    }, source),
  )

/** Any text at all, most of it near the language. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...shards), { maxLength: 40 }).map(parts => parts.join('')) },
  { weight: 1, arbitrary: documents },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
)
