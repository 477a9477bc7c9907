import { userMessage } from '@argot/core'
import { expect, test } from 'vitest'

test('a message of a person has the text, and the files before it', () => {
  const message = userMessage('What is this?', [
    { mediaType: 'image/png', data: new Uint8Array([1, 2, 3]), filename: 'a.png' },
    { mediaType: 'text/plain', url: 'https://example.org/a.txt' },
  ])
  expect(message).toMatchObject({
    role: 'user',
    status: 'sent',
    parts: [
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID', filename: 'a.png' },
      { type: 'file', mediaType: 'text/plain', url: 'https://example.org/a.txt' },
      { type: 'text', text: 'What is this?', state: 'done' },
    ],
  })
  expect(message.id).not.toBe(userMessage('What is this?').id)
})
