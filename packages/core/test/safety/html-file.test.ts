import type { Message, MessagePart } from '@argot/core'
import { fileLink, writeHtmlFile } from '@argot/core/convert/internal'
import fc from 'fast-check'
import { parser } from 'markdown-to-jsx/html'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { expect, test } from 'vitest'

type Node = DefaultTreeAdapterMap['node']
type Element = DefaultTreeAdapterMap['element']

const write = (title: string, messages: readonly Message[]): string =>
  writeHtmlFile(title, messages, text => parser(text, { disableParsingRawHTML: true }))

const tags = new Set(
  'html head body meta title style main h1 h2 h3 h4 h5 h6 article p div span b code pre details summary em strong del mark a img ul ol li table thead tbody tr th td blockquote br hr sup'.split(
    ' ',
  ),
)
const attributes = new Set(['class', 'aria-label', 'aria-hidden', 'href', 'rel', 'src', 'alt', 'align', 'start'])

function* elements(node: Node): Generator<Element> {
  if ('tagName' in node) yield node
  if ('childNodes' in node) for (const child of node.childNodes) yield* elements(child)
}

/** That a browser finds nothing in it but our own elements, and no address that loads or leads anywhere else. */
function expectHarmless(html: string): void {
  const all = [...elements(parse(html))]
  const body = all.slice(all.findIndex(({ tagName }) => tagName === 'body'))
  expect(all.filter(({ tagName }) => !tags.has(tagName)).map(({ tagName }) => tagName)).toEqual([])
  expect(body.filter(({ tagName }) => ['meta', 'title', 'style', 'html', 'head'].includes(tagName))).toEqual([])
  for (const { tagName, attrs } of body) {
    for (const { name, value } of attrs) {
      expect([tagName, attributes.has(name) ? '' : name]).toEqual([tagName, ''])
      if (name === 'src') expect([tagName, value.slice(0, 11)]).toEqual(['img', 'data:image/'])
      if (name === 'href') expect(fileLink(value)).toBe(value)
    }
  }
}

function assistant(parts: readonly MessagePart[]): Message {
  return { id: 'm', role: 'assistant', status: 'sent', parts: [...parts] }
}

const text = (value: string): MessagePart => ({ type: 'text', id: 't', text: value, state: 'done' })

const attacks = [
  '<script>alert(1)</script>',
  '</style></title></main><script>x</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><style>body{}</style>',
  '<iframe srcdoc="<script>x</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=//a">',
  '[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](data:text/html,x) [d](//host/x) [e](\\\\host\\x) [f](file:///x)',
  '![a](https://example.com/a.png) ![b](//h/b.png) ![c](data:text/html,x) ![" onerror="x](data:image/png;base64,AA")',
  '[x](https://a.b/"onmouseover="alert(1)) <https://a.b/"x> [y](<https://a.b/ "x>)',
  '```html"><script>x</script>\n</code></pre><script>y</script>\n```',
  '| <b>a</b> | b |\n| :-: | --: |\n| <script> | [x](javascript:1) |',
  '[ref]\n\n[ref]: javascript:alert(1) "<script>"',
  '# <h1 onclick=x>\n\n- [x] <input onfocus=x autofocus>\n\n> <base href=//h/>',
  '&lt;script&gt; &#60;script&#62; &NewLine;javascript:x',
  '\0<\0script>\ud800<!--<script>--><![CDATA[<x>]]><?php x ?>',
]

test.each(attacks)('in an exported page, this is text: %s', attack => {
  const call = (state: object): MessagePart =>
    ({
      type: 'tool',
      toolInvocation: {
        key: 'k',
        toolCallId: 'c',
        toolName: attack,
        input: { path: attack, [attack]: attack },
        ...state,
      },
    }) as unknown as MessagePart
  const html = write(attack, [
    { ...assistant([text(attack)]), role: 'user' },
    assistant([
      text(attack),
      { type: 'reasoning', id: 'r', text: attack, state: 'done' },
      { type: 'file', filename: attack, mediaType: attack, url: attack },
      { type: 'file', filename: attack, mediaType: 'image/png', url: `data:image/png;base64,"${attack}` },
      { type: 'source-url', sourceId: 's', url: attack, title: attack },
      call({ state: 'output-available', output: attack, details: { diff: `+${attack}\n-${attack}` } }),
      call({ state: 'output-error', errorText: attack }),
      call({ state: 'output-denied', approval: { id: 'a', approved: false, reason: attack } }),
    ] as MessagePart[]),
    { ...assistant([]), role: attack as Message['role'], status: 'error', errorText: attack },
  ])
  expectHarmless(html)
  expect(html).toContain("default-src 'none'")
})

test('any Markdown is harmless in an exported page', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...attacks,
      '[',
      '](',
      ')',
      '<',
      '>',
      '"',
      '`',
      '```\n',
      '|',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '**',
      '![',
      '&',
    ),
    fc.string({ maxLength: 8 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      expectHarmless(write('t', [assistant([text(pieces.join(''))])]))
    }),
    { numRuns: process.env.LAWS === 'full' ? 5000 : 300 },
  )
})

test('Markdown that is nested beyond reason is still a page', () => {
  for (const one of ['> '.repeat(20_000), '['.repeat(20_000), '**'.repeat(20_000), `${'- '.repeat(5000)}x`]) {
    const html = write('t', [assistant([text(`${one}<script>`)])])
    expect(html.endsWith('</html>\n')).toBe(true)
    expect(html).not.toContain('<script')
  }
})
