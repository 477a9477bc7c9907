import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { readHtml } from '../../src/web/read-html.ts'

type Node = DefaultTreeAdapterTypes.Node

const hidden = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'noembed', 'noframes'])

/** The text that a browser shows, by the tree that parse5 makes as browsers do. */
function shown(node: Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  if (hidden.has(node.nodeName) || !('childNodes' in node)) return ''
  return node.childNodes.map(shown).join('')
}

function read(page: string): string {
  let all = ''
  readHtml(page, { open() {}, close() {}, text: piece => (all += piece) })
  return all
}

const words = (text: string): string[] => text.match(/word\d+/g) ?? []

/** A word that is not a tag, and can be found again. */
const word = 'WORD'
const tags: [string, string][] = [
  [
    'elements',
    '<p> </p> <div> </div> <table> <tr> <td> </table> <ul> <li> </ul> <pre> </pre> <svg> </svg> <math> </math> <h1> <dl> <caption> ' +
      '<script> </script> <style> </style> <template> </template> <noscript> </noscript> <iframe> </iframe> <noembed> </noembed> ' +
      '<title> </title> <textarea> </textarea> <xmp> </xmp> <plaintext> <!-- --> --!> <! <? </ > <style/> <script/> <button> <form> ' +
      '<body> </body> </html> <head> </head> <![CDATA[ ]]> = / <br/> &lt; & < <frameset> <image> <listing>',
  ],
  [
    'drawings and formulas',
    '<svg> </svg> <math> </math> <mi> </mi> <mo> <foreignObject> </foreignObject> <desc> </desc> <title> </title> <annotation-xml> ' +
      '</annotation-xml> <p> </p> <div> </div> <b> </b> <span> <script/> <style/> <script> </script> <textarea> </textarea> <xmp> ' +
      '</xmp> <font> </br> <br> <table> <td> </table> <g> </g> <template> </template> <svg/> <mi/> <desc/> <![CDATA[ ]]> <mglyph> <li>',
  ],
  [
    'scripts and comments',
    '<script> </script> <script <!-- --> --!> <!- - -> </scriptx> <scriptx> <script/ > < </ <!--> <!---> </SCRIPT> <style> ' +
      '</style> <textarea> </textarea> <title> </title> <xmp> </xmp> <noscript> </noscript>',
  ],
  [
    'halves of tags',
    `<p a=" " ' a=' = > / /> </p </script <script <style </style> <textarea </textarea < </ <! <? <!-- --> -- ! <![CDATA[ ]]> <!DOCTYPE ` +
      '<a:b <1 </1 & &lt &lt; <title </title <svg </svg',
  ],
]

test.each(tags)('nothing that a browser hides comes through as text: %s', (_, list) => {
  const pieces = fc.oneof(
    { arbitrary: fc.constantFrom(...list.split(' ')), weight: 3 },
    fc.constant(word),
    fc.constant(' '),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), all => {
      let count = 0
      const page = `<html><body>${all.map(piece => (piece === word ? `word${count++}` : piece)).join('')}`
      const browser = new Set(words(shown(parse(page, { scriptingEnabled: true }))))
      expect(words(read(page)).filter(one => !browser.has(one))).toEqual([])
    }),
    { numRuns: shareOf(20_000) },
  )
})
