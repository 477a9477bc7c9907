import { type ContentPiece, readContent, readContentForModel } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const url = 'https://example.com/a.png'
const bytes = Uint8Array.from(atob(png), character => character.charCodeAt(0))
const data: ContentPiece = { type: 'file-data', data: png, mediaType: 'image/png' }
const link: ContentPiece = { type: 'file-url', url, mediaType: 'image/png' }
const anyLink: ContentPiece = { type: 'file-url', url, mediaType: 'image/*' }

/** One picture as each library writes it, and as it is read. */
const shapes: [string, unknown, ContentPiece][] = [
  ['file-data of the AI SDK', { type: 'file-data', data: png, mediaType: 'image/png' }, data],
  ['image-data of the AI SDK', { type: 'image-data', data: png, mediaType: 'image/png' }, data],
  ['media of the AI SDK', { type: 'media', data: png, mediaType: 'image/png' }, data],
  ['bytes', { type: 'file', data: bytes, mediaType: 'image/png' }, data],
  ['image of the AI SDK', { type: 'image', image: png }, data],
  ['image-url of the AI SDK', { type: 'image-url', url }, anyLink],
  ['file-url of the AI SDK', { type: 'file-url', url, mediaType: 'image/png' }, link],
  ['file-url of the AI SDK without a type', { type: 'file-url', url }, anyLink],
  ['file of the AI SDK 7', { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png' }, data],
  [
    'file of the AI SDK 7 with half a type',
    { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image' },
    data,
  ],
  [
    'file of the AI SDK 7 at an address',
    { type: 'file', data: { type: 'url', url: new URL(url) }, mediaType: 'image', filename: 'a.png' },
    { ...anyLink, filename: 'a.png' },
  ],
  [
    'text of the AI SDK 7',
    { type: 'file', data: { type: 'text', text: 'hi' }, mediaType: 'text/plain' },
    { type: 'file-data', data: 'aGk=', mediaType: 'text/plain' },
  ],
  ['image of MCP', { type: 'image', data: png, mimeType: 'image/png' }, data],
  [
    'resource of MCP',
    { type: 'resource', resource: { uri: 'file:///tmp/a.png', mimeType: 'image/png', blob: png } },
    { ...data, filename: 'a.png' },
  ],
  ['image_url of OpenAI', { type: 'image_url', image_url: { url } }, anyLink],
  ['input_image of OpenAI', { type: 'input_image', image_url: `data:image/png;base64,${png}` }, data],
  ['image of Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }, data],
  ['image of Anthropic at an address', { type: 'image', source: { type: 'url', url } }, anyLink],
  ['inlineData of Google', { inlineData: { mimeType: 'image/png', data: png } }, data],
  ['a data address as data', { type: 'image', data: `data:image/png;base64,${png}`, mimeType: 'image/png' }, data],
  ['a data address', `data:image/png;base64,${png}`, data],
]

test.each(shapes)('%s is read alone, in a list, and in the content of both kinds', (_, shape, piece) => {
  const both = [{ type: 'text', text: 'Before' }, shape, { type: 'text', text: 'After' }]
  const read = { type: 'content', value: [{ type: 'text', text: 'Before' }, piece, { type: 'text', text: 'After' }] }
  expect(readContent(shape)).toEqual({ type: 'content', value: [piece] })
  expect(readContent(both)).toEqual(read)
  expect(readContent({ content: both })).toEqual(read)
  expect(readContent({ type: 'content', value: both })).toEqual(read)
})

test('law: texts and files stay in their order, and none is lost', () => {
  const one = fc.oneof(
    fc.string().map(
      text =>
        [
          { type: 'text', text },
          { type: 'text', text },
        ] as const,
    ),
    fc.constantFrom(...shapes).map(([, shape, piece]) => [shape, piece] as const),
  )
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), fc.constantFrom('content', 'value', 'list'), (list, kind) => {
      const given = list.map(([shape]) => shape)
      const output = kind === 'list' ? given : kind === 'value' ? { type: 'content', value: given } : { content: given }
      const pieces = list.map(([, piece]) => piece)
      const hasFile = pieces.some(({ type }) => type !== 'text')
      expect(readContent(output)?.value).toEqual(hasFile ? pieces : undefined)
      const hasData = pieces.some(({ type }) => type === 'file-data')
      expect(readContentForModel(output)?.value).toEqual(hasData ? pieces : undefined)
    }),
    { numRuns: shareOf(1000), seed: 1 },
  )
})

test('what is said besides is a text after the files', () => {
  const image = { type: 'image', data: png, mimeType: 'image/png' }
  expect(readContent({ content: [image], structuredContent: { count: 1 }, isError: false })?.value).toEqual([
    data,
    { type: 'text', text: JSON.stringify({ structuredContent: { count: 1 } }, undefined, 2) },
  ])
  expect(readContent({ ...image, caption: 'A cat', width: 5 })?.value).toEqual([
    data,
    { type: 'text', text: JSON.stringify({ caption: 'A cat' }, undefined, 2) },
  ])
  expect(readContent({ content: [image, { type: 'new', a: 1 }] })?.value[1]).toMatchObject({ type: 'text' })
})

test.each<[string, unknown]>([
  ['a text', 'hello'],
  ['a script', 'data:text/javascript,alert(1)'],
  ['texts', { content: [{ type: 'text', text: 'x' }] }],
  ['records that name addresses', [{ name: 'a', url, mimeType: 'image/png' }]],
  ['an address that runs something', { type: 'image-url', url: 'javascript:alert(1)' }],
  ['an address on this disk', { type: 'file-url', url: 'file:///etc/passwd', mediaType: 'image/png' }],
  ['data without a type', { data: 'aGk=' }],
  ['a number', 3],
  ['nothing', null],
  ['a list', []],
])('%s has no file', (_, output) => {
  expect(readContent(output)).toBeUndefined()
})

test('law: any value is read without an error, and reading what was read changes nothing', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), value => {
      const read = readContent(value)
      if (read !== undefined) expect(readContent(read)).toBe(read)
    }),
    { numRuns: shareOf(1000), seed: 1 },
  )
})
