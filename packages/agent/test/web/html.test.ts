import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { folder } from '../files/folder.ts'
import { ask, textOf } from '../resolver/ask.ts'
import { LOOPBACK, reply, serve } from './server.ts'

let scratch = ''
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'argot-html-'))
})
afterAll(() => rm(scratch, { recursive: true }))

async function convert(source: string, html: 'keep' | 'strip' | 'markdown', name = 'a.html'): Promise<string> {
  await writeFile(join(scratch, name), source)
  return textOf(await ask({ cwd: scratch, limits: { textBytes: 8 * 1024 * 1024 } }, { src: name, html }))
}

const PAGE = `<!DOCTYPE html>
<html><head><title>Title &amp; more</title><style>p { color: red }</style><script>var hidden = '<p>x</p>'</script></head>
<body><!-- a comment --><h1>Heading</h1>
<p>Some <b>bold</b>   and
   <a href="/link">linked</a> text.<br>Next line.</p>
<ul><li>one<li>two</ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre>  code {
    x
  }</pre></body></html>`

test('strip gives readable text: a line for each block, blanks collapsed, code as it is', async () => {
  expect(await convert(PAGE, 'strip')).toBe(
    'Title & more\nHeading\nSome bold and linked text.\nNext line.\none\ntwo\na b\n1 2\n  code {\n    x\n  }',
  )
})

test('markdown gives Markdown', async () => {
  expect(await convert(PAGE, 'markdown')).toBe(`Title & more

# Heading

Some **bold** and [linked](/link) text.  
Next line.

- one
- two

| a | b |
| --- | --- |
| 1 | 2 |

\`\`\`
  code {
    x
  }
\`\`\``)
})

test('without a flag HTML is inserted as it is', async () => {
  expect(await convert(PAGE, 'keep')).toBe(PAGE)
})

/** What is code or inert in each of these is spelled EVIL, what a reader sees is spelled seen. */
const hiding = [
  ['a script', 'seen<script>EVIL</script>seen'],
  ['a style', 'seen<style>EVIL</style>seen'],
  ['a template', 'seen<template>EVIL</template>seen'],
  ['templates in templates', 'seen<template>EVIL<template>EVIL</template>EVIL</template>seen'],
  ['what scripts replace', 'seen<noscript>EVIL</noscript>seen'],
  ['frames', 'seen<iframe>EVIL</iframe><noframes>EVIL</noframes><noembed>EVIL</noembed>seen'],
  ['upper case', 'seen<SCRIPT>EVIL</SCRIPT><Style>EVIL</sTYLE>seen'],
  ['attributes and blanks', 'seen<script type="a>b" x=\'>\' >EVIL</script  >seen<style\n>EVIL</style\t>seen'],
  ['tags inside a script', 'seen<script>if (a < b) "<b>EVIL</b><!-- EVIL"</script>seen'],
  ['a closing tag of something else', 'seen<script>EVIL</style>EVIL</scriptx>EVIL</script>seen'],
  ['a script that pretends to close itself', 'seen<script/>EVIL</script>seen'],
  ['a style that pretends to close itself', 'seen<style/>EVIL</style>seen'],
  ['a script that is never closed', 'seen<script>EVIL<p>EVIL'],
  ['a style that is never closed', 'seen<style>EVIL<p>EVIL'],
  ['a template that is never closed', '<div>seen<template>EVIL</div>EVIL'],
  ['a script with a script in a comment', 'seen<script>"<!--<script>" EVIL </script> EVIL --></script>seen'],
  ['a script with a comment', 'seen<script><!-- EVIL --></script>seen<script><!-- EVIL </script>seen'],
  ['a script in a drawing', 'seen<svg><script>EVIL</script><style>EVIL</style></svg>seen'],
  ['a script that closes itself in a drawing', '<svg><script/><style/></svg>seen'],
  ['HTML in a drawing', '<svg><foreignObject><script/>EVIL</script></foreignObject></svg>seen'],
  ['HTML in a drawing that is not closed', '<svg><foreignObject></svg>seen<script/>EVIL</script>seen'],
  [
    'HTML behind a drawing whose parts are closed in the wrong order',
    '<svg><foreignObject></svg></foreignObject>seen<script/>EVIL</script>seen',
  ],
  ['HTML behind a drawing that is never closed', '<svg><g>seen<p>seen<script/>EVIL</script>seen'],
  ['a style in the body of a drawing that is never closed', '<svg><g><div><style/>EVIL</style>seen'],
  ['a prefix', 'seen<html:script>EVIL</html:script>seen'],
  ['a prefix in an end tag', '<svg><script>EVIL</x:script>EVIL</script></svg>seen'],
  ['comments', 'seen<!-- EVIL --><!-- EVIL > EVIL --!>seen<!EVIL><?EVIL?>seen'],
  ['a comment that is never closed', 'seen<!-- EVIL'],
  ['attributes', 'seen<p onclick="EVIL" style="EVIL" data-x="EVIL">seen</p>'],
  ['links that run code', 'seen<a href="javascript:EVIL">seen</a><a href=" java\nscript:EVIL">seen</a>'],
  ['links that run code, in entities', 'seen<a href="&#106;avascript&colon;EVIL">seen</a>'],
  ['data in links', 'seen<a href="data:text/html,EVIL">seen</a><img src="data:image/png;base64,EVIL" alt="seen">'],
  ['a tag that is never closed', 'seen<script src="EVIL'],
  ['a script in the title of a drawing', '<svg><title><script/>EVIL</script></title></svg>seen'],
  ['a script after CDATA that is none', 'seen<![CDATA[><script>"]]>" EVIL</script>seen'],
  ['a script after an end tag with attributes', 'seen</p a="><textarea>"><script>EVIL</script>seen'],
  ['attributes of an end tag', "seen</p a='>EVIL'>seen</p a=\"EVIL>"],
  ['a script after a drawing that closes itself', 'seen<svg/><script/>EVIL</script>seen'],
  ['a script in a drawing that does not quite close itself', '<svg><script / >EVIL</script></svg>seen'],
  ['a script after an end tag that ends a drawing', '<div>seen<svg></div><script/>EVIL</script>seen'],
  ['a script after a paragraph that ends a drawing', '<svg></p>seen<script/>EVIL</script>seen'],
  ['a script after a font that ends a drawing', '<svg><font color=red>seen<script/>EVIL</script>seen'],
  ['a script in HTML in a formula', '<math><mi><p></mi>seen<script/>EVIL</script>seen'],
  ['a script in a formula', '<math><annotation-xml><xmp><script>EVIL</script></xmp></math>seen'],
  ['a script in a drawing in a formula', '<math><svg><title><xmp><script>EVIL</script></xmp></math>seen'],
  ['what scripts replace, in a template', 'seen<template><noscript></template>EVIL</noscript></template>seen'],
  ['a script in a drawing after the end of the body', 'seen<svg></body><textarea><script>EVIL</script>'],
  ['a script in a drawing after the end of a head', 'seen<head><svg></head><textarea><script>EVIL</script>'],
  ['a script in a drawing after a cell without a table', 'seen<td><svg></td><textarea><script>EVIL</script>'],
  [
    'a script in a drawing after a cell of a table before',
    'seen<table><td></table><svg></td><textarea><script>EVIL</script>',
  ],
  ['a script after a cell that ends a drawing', 'seen<table><td><svg></td></table><script/>EVIL</script>seen'],
] as const

/** Of each of these all is seen. */
const showing = [
  ['what follows a tag with a bracket in its name', '<text<script>seen</script>seen'],
  ['what follows an attribute with a bracket', '<p a<script>seen</script>seen'],
  ['what follows an end tag with a bracket in its name', '</p<script>seen</script>seen'],
  ['what follows a comment of another kind', '</<script>seen</script>seen'],
  ['what follows CDATA that is none', 'seen<![CDATA[>seen'],
  ['CDATA in a drawing', '<svg><text><![CDATA[seen]]></text></svg>seen'],
  ['CDATA that is never closed', '<svg><text><![CDATA[seen</text></svg>seen'],
  ['what follows an end tag with attributes', '</p a=">">seen</p a=b>seen'],
  ['what follows a drawing that closes itself', '<svg/><p>seen</p><math/>seen'],
  ['what follows a style that closes itself in a formula', '<math><style/>seen</math>seen'],
  ['names that objects have', '<constructor>seen</constructor><__proto__ encoding=x>seen</__proto__>'],
] as const

describe.each(['strip', 'markdown'] as const)('HTML by %s', html => {
  test.each(hiding)('does not let out %s', async (_, source) => {
    const text = await convert(`<html><body>${source}`, html)
    expect(text).not.toContain('EVIL')
    expect(text).toContain('seen')
  })

  test.each(showing)('shows %s', async (_, source) => {
    const text = await convert(`<html><body>${source}`, html)
    expect(text.match(/seen/g)).toHaveLength(2)
  })

  // No piece begins with a letter: after `<` it would be the name of a tag, and `<text<script>` is one tag.
  test('does not let out what is hidden, however it is mixed', async () => {
    const tags =
      '<p> </p> <div> </div> <table> <tr> <td> </table> <ul> <li> </ul> <a/href=x> </a> <code> </code> <pre> </pre> ' +
      '<svg> </svg> <foreignObject> <br/> <!----> &lt; & < "> \' <math><mi> </math> <th/colspan=3> <h1> <blockquote> ' +
      '<dl><dt> <dd> <caption> <tbody> </script> </style> </template> </p/a=">"> <svg/> <desc> <mi> </mi> 1text'
    const hidden = '<script>EVIL</script> <style>EVIL</style> <template>EVIL</template> <noscript>EVIL</noscript>'
    const piece = fc.oneof(
      { arbitrary: fc.constantFrom(...tags.split(' ')), weight: 3 },
      { arbitrary: fc.constantFrom(...hidden.split(' ')), weight: 1 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async pieces => {
        expect(await convert(`<html>${pieces.join('')}`, html)).not.toContain('EVIL')
      }),
      { numRuns: shareOf(1000) },
    )
  })

  test('never fails, whatever the text is', async () => {
    const shard = fc.constantFrom(
      ...'<>/!-="\' &;x\n'.split(''),
      '<t',
      '<tr',
      '<td>',
      '<table>',
      '</',
      '<a href=',
      '&am',
      '<pre>',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(shard, fc.string({ maxLength: 3 })), { maxLength: 60 }), async shards => {
        const source = shards.join('').replaceAll('\0', '')
        expect(typeof (await convert(`<html>${source.toWellFormed()}`, html))).toBe('string')
      }),
      { numRuns: shareOf(500) },
    )
  })

  test.each([
    ['nested', `${'<div>'.repeat(100_000)}seen${'</div>'.repeat(100_000)}`],
    ['nested and never closed', `${'<div>'.repeat(100_000)}seen`],
    ['closed without having been opened', `seen${'</div>'.repeat(200_000)}`],
    ['opened as one and closed as another', `${'<i>'.repeat(100_000)}seen${'</b>'.repeat(100_000)}`],
    ['nested lists', `${'<ul><li>'.repeat(50_000)}seen`],
    ['nested tables', `${'<table><tr><td>'.repeat(30_000)}seen`],
    ['nested quotations', `${'<blockquote>'.repeat(50_000)}seen`],
    ['nested links', `${'<a href=x>'.repeat(50_000)}seen`],
    ['nested drawings', `${'<svg><foreignObject>'.repeat(25_000)}seen${'</svg>'.repeat(50_000)}`],
    ['paragraphs that are never closed', `${'<p>x'.repeat(100_000)}<p>seen`],
    ['rows that are never closed', `<table>${'<tr><td>x<td>y'.repeat(30_000)}</table>seen`],
    ['cells without a table', `${'<tr><td>x'.repeat(1000)}seen`],
    ['comments that are never closed', `seen${'<!--'.repeat(200_000)}`],
    ['end tags in nested drawings', `<x>${'<svg><desc>'.repeat(40_000)}${'</y>'.repeat(100_000)}seen`],
    ['end tags with attributes', `${'</p a=">">x'.repeat(50_000)}seen`],
    ['CDATA that is none', `${'<![CDATA[>x'.repeat(100_000)}seen`],
    ['many attributes of an end tag', `</p ${"a='b' ".repeat(100_000)} c=">">seen`],
    ['many attributes', `<p ${'a=b '.repeat(100_000)}>seen`],
    ['2 MB of a page', `${'<p>Hello <b>world</b>, see <a href="/x">here</a> &amp; there.</p>\n'.repeat(32_000)}seen`],
  ])('takes %s', async (_, source) => {
    const text = await convert(`<html>${source}`, html)
    expect(text).toContain('seen')
    expect(text.length).toBeLessThan(3 * source.length + 100)
  })
})

test('what is nested more than 100 deep keeps its text and loses its marks', async () => {
  expect(await convert(`<html>${'<blockquote>'.repeat(150)}<b>seen</b>`, 'markdown')).toMatch(/^(?:> ?){98,100}seen$/)
})

test.each([
  ['a page whose ending says nothing', 'a', PAGE, true],
  ['a page with the ending of a text', 'a.txt', PAGE, true],
  ['a page with the ending of Markdown', 'a.md', PAGE, true],
  ['a page behind comments and blanks', 'a.txt', '\ufeff\n <!-- <x> --> <!-- y --><html><b>x</b>', true],
  ['XHTML', 'a.xml', '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><html><b>x</b></html>', true],
  ['a fragment by its ending', 'a.htm', 'x <b>y</b>', true],
  ['a fragment by its first tag', 'fragment', '<p>x <b>y</b>', true],
  ['Markdown that begins with a tag', 'README.md', '<p align="center">x</p>\n\n# y', false],
  ['text with tags', 'a.txt', 'use <b>bold</b>', false],
  ['text with the ending of HTML', 'a.html', 'a < b  and  c', false],
  ['source code', 'a.tsx', '<div>{x}</div>', false],
  ['XML', 'a.xml', '<?xml version="1.0"?><feed><b>x</b></feed>', false],
  ['other names that begin alike', 'a.txt', '<htmlx><b>x</b>', false],
])('a file is HTML or not: %s', async (_, name, source, isHtml) => {
  const text = await convert(source, 'strip', name)
  if (isHtml) expect(text).not.toMatch(/<\/?[a-z]/)
  else expect(text).toBe(source.replace('\ufeff', ''))
})

test.each([
  ['text/html', '<p>x  <b>y</b>', 'x y'],
  ['TEXT/HTML; charset=UTF-8', '<p>x  <b>y</b>', 'x y'],
  ['application/xhtml+xml', '<p>x <script src="a"/> <b>y</b></p>', 'x y'],
  ['application/xhtml+xml', '<p>x <![CDATA[<y>]]></p>', 'x <y>'],
  ['text/plain', '<!doctype html><p>x  <b>y</b>', 'x y'],
  ['text/plain', '<p>x  <b>y</b>', '<p>x  <b>y</b>'],
  ['text/markdown', '<!doctype html><p>x', '<!doctype html><p>x'],
  ['application/json', '"<html>"', '"<html>"'],
  ['', '<html><p>x  <b>y</b>', 'x y'],
])('a reply is HTML or not by its type: "%s"', async (type, body, expected) => {
  const server = await serve(reply(body, { 'content-type': type }))
  const src = `${server.url}/a.html`
  expect(textOf(await ask(LOOPBACK, { local: false, html: 'strip', src }))).toBe(expected)
})

test('links of a page from the web become whole, those of a file stay', async () => {
  const source =
    '<html><a href="../b?c=d&amp;e">x</a> <img src="i.png" alt="y"> <a href="#part">z</a> <a href="//h/p">w</a>'
  const server = await serve(reply(source, { 'content-type': 'text/html' }))
  const { url } = server
  expect(textOf(await ask(LOOPBACK, { local: false, html: 'markdown', src: `${url}/deep/a` }))).toBe(
    `[x](${url}/b?c=d&e) ![y](${url}/deep/i.png) [z](#part) [w](http://h/p)`,
  )
  expect(await convert(source, 'markdown')).toBe('[x](../b?c=d&e) ![y](i.png) [z](#part) [w](https://h/p)')
})

test('only a doc is converted', async () => {
  const cwd = await folder({ 'a.html': PAGE })
  for (const kind of ['import', 'agent', 'payload', 'meta'] as const) {
    expect(textOf(await ask({ cwd }, { kind, src: 'a.html', html: 'strip' }))).toBe(PAGE)
  }
})
