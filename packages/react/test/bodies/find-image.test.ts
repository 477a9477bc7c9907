import { expect, test } from 'vitest'
import { findImage, imageSize } from '../../src/bodies/image/find-image.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAKCAYAAAB8OZQwAAAAEklEQVR42mNk+M9QzzAKRgEyAADqCAX/AvZL3wAAAABJRU5ErkJggg=='
const gif = 'R0lGODlhAwACAIAAAP///wAAACH5BAAAAAAALAAAAAADAAIAAAIDRAIFADs='
const base64 = (bytes: number[]) => btoa(String.fromCharCode(...bytes))

test.each([
  ['of MCP', { type: 'image', data: png, mimeType: 'image/png' }],
  ['of the AI SDK', { type: 'media', data: png, mediaType: 'image/png' }],
  ['in a list', [{ type: 'image', data: png, mimeType: 'image/png' }]],
  ['in the content of a result', { content: [{ type: 'image', data: png, mimeType: 'image/png' }] }],
  ['of a built-in tool', { type: 'content', value: [{ type: 'file-data', data: png, mediaType: 'image/png' }] }],
  [
    'after a text',
    {
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', data: png, mimeType: 'image/png' },
      ],
    },
  ],
  ['as a data address', `data:image/png;base64,${png}`],
])('a picture %s has its size before it loads', (_, value) => {
  expect(findImage(value)).toEqual({ url: `data:image/png;base64,${png}`, width: 5, height: 10 })
})

test.each([
  ['GIF', `data:image/gif;base64,${gif}`, { width: 3, height: 2 }],
  ['SVG', 'data:image/svg+xml,<svg width="30" height="20"></svg>', { width: 30, height: 20 }],
  ['SVG with a view box', 'data:image/svg+xml,%3Csvg viewBox="0 0 480 240"%3E', { width: 480, height: 240 }],
  [
    'JPEG',
    `data:image/jpeg;base64,${base64([255, 216, 255, 224, 0, 4, 0, 0, 255, 192, 0, 11, 8, 0, 20, 0, 30, 3, 1, 1, 1, 0])}`,
    { width: 30, height: 20 },
  ],
])('reads the size of a %s', (_, url, size) => {
  expect(imageSize(url)).toEqual(size)
})

test.each([
  ['text', 'hello'],
  ['a page', { mediaType: 'text/html', data: 'PGgxPg==' }],
  ['a script', 'data:text/javascript,alert(1)'],
  ['a picture at a strange address', { mediaType: 'image/png', url: 'javascript:alert(1)' }],
])('%s is not a picture', (_, value) => {
  expect(findImage(value)).toBeUndefined()
})

test('a picture that is broken has no size', () => {
  expect(imageSize('data:image/png;base64,!!!!')).toBeUndefined()
  expect(imageSize('data:image/jpeg;base64,/9j/')).toBeUndefined()
})
