import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../files/folder.ts'
import { ask, problemOf } from './ask.ts'

const start = (text: string): Buffer => Buffer.from(`${text}rest`, 'latin1')

test.each([
  ['image/png', start('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', start('\xff\xd8\xff\xe0')],
  ['image/gif', start('GIF87a')],
  ['image/gif', start('GIF89a')],
  ['image/webp', start('RIFF\x10\0\0\0WEBPVP8 ')],
])('a local image becomes a data URI with the type of its bytes: %s', async (mediaType, bytes) => {
  const cwd = await folder({ 'wrong-ending.txt': bytes })
  expect(await ask({ cwd }, { kind: 'img', src: 'wrong-ending.txt' })).toEqual({
    ok: true,
    url: `data:${mediaType};base64,${bytes.toString('base64')}`,
    mediaType,
    file: join(cwd, 'wrong-ending.txt'),
  })
})

test.each([
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'SVG drawing'],
  ['SVG with a prolog', '\ufeff<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg>\n<svg>', 'SVG drawing'],
  ['text that calls itself PNG', 'hello', 'not a PNG'],
  ['HTML', '<!doctype html><p>login</p>', 'not a PNG'],
  ['nothing', '', 'not a PNG'],
  ['half a signature', '\x89PN', 'not a PNG'],
  ['a WAV file', 'RIFF\x10\0\0\0WAVEfmt ', 'not a PNG'],
  ['BMP', 'BM\x10\0\0\0', 'not a PNG'],
  ['PDF', '%PDF-1.7', 'not a PNG'],
])('refuses as an image: %s', async (_, content, words) => {
  const cwd = await folder({ 'a.png': Buffer.from(content, 'utf8') })
  const problem = problemOf(await ask({ cwd }, { kind: 'img', src: 'a.png' }))
  expect(problem).toMatchObject({ code: 'CHATMD_NOT_AN_IMAGE', message: expect.stringContaining(words) })
})

test('an image has a limit of its own', async () => {
  const cwd = await folder({ 'a.png': Buffer.concat([start('\x89PNG\r\n\x1a\n'), Buffer.alloc(2 * 1024 * 1024)]) })
  expect(await ask({ cwd }, { kind: 'img', src: 'a.png' })).toMatchObject({ ok: true })
  const limits = { imageBytes: 1024 * 1024 }
  expect(problemOf(await ask({ cwd, limits }, { kind: 'img', src: 'a.png' })).code).toBe('CHATMD_SOURCE_TOO_LARGE')
})

test.each([
  ['https://example.com/a.png', 'image/png'],
  ['https://example.com/a.JPG?size=2#x', 'image/jpeg'],
  ['https://example.com/a.webp', 'image/webp'],
  ['https://example.com/a.gif', 'image/gif'],
  ['https://example.com/image?id=1.png', 'image/*'],
  ['https://example.com/a.constructor', 'image/*'],
  ['https://example.com/', 'image/*'],
])('an image of the web stays an address, and nothing is fetched: %s', async (src, mediaType) => {
  const lookup = () => Promise.reject(new Error('must not be asked'))
  const result = await ask({ lookup }, { kind: 'img', local: false, src })
  const url = src.replace('#x', '')
  expect(result).toEqual({ ok: true, url, mediaType, file: url })
})
