import { expect, test } from 'vitest'
import { fileBlock } from '../../src/acp/tool-call-fields.ts'
import { readDataUri } from '../../src/io/read-data-uri.ts'

test.each([
  ['data:image/png;base64,iVBORw0KGgo=', 'image/*', { mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  ['data:image/png;BASE64,iVBORw0KGgo%3D', '', { mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  ['data:image/png,%89PNG%0D%0A%1A%0a', 'image/*', { mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  ['data:;base64,iVBORw0KGgo=', 'image/png', { mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  ['data:text/plain;charset=utf-8;base64,YQ', '', { mimeType: 'text/plain', data: 'YQ==' }],
  ['data:,5 %', '', { mimeType: 'text/plain', data: 'NSAl' }],
  ['data:text/plain,', '', { mimeType: 'text/plain', data: '' }],
  ['data:text/plain', '', undefined],
  ['https://example.com/a.png', 'image/png', undefined],
])('%s with the type "%s"', (url, mediaType, file) => {
  expect(readDataUri(url, mediaType)).toEqual(file)
})

test('an editor gets an image as such, also if it is not in base64', () => {
  expect(fileBlock('image/svg+xml', 'data:image/svg+xml,%3Csvg%2F%3E')).toEqual({
    type: 'image',
    mimeType: 'image/svg+xml',
    data: Buffer.from('<svg/>').toString('base64'),
  })
})
