import { fileLink } from '@argot/core/convert/internal'
import { expect, test } from 'vitest'
import { readToken } from '../../src/frame/use-route.ts'

test.each([
  '//host/x',
  '///host/x',
  '\\\\host\\x',
  '/\\host/x',
  '\\/host/x',
  '\t//host/x',
  '/\t/host/x',
  '/x',
  'x',
  '../x',
  '?x',
  '#x',
  '',
  'file:///etc/passwd',
  'file://host/x',
  'javascript:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  'data:text/html,x',
  'blob:https://example.com/1',
  'vbscript:x',
  'smb://host/x',
  'ms-word:ofe|u|x',
  'https://',
])('a file from a disk does not lead to %j', address => {
  expect(fileLink(address)).toBeUndefined()
})

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['https:host/x', 'https://host/x'],
  ['HTTP:\\\\host\\x', 'http://host/x'],
  ['ht\ntps://example.com', 'https://example.com/'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
])('an address that says its scheme stays, as a browser reads it: %j', (address, read) => {
  expect(fileLink(address)).toBe(read)
})

test.each([
  ['#token=%', '%'],
  ['#token=%E0%A4%A', '%E0%A4%A'],
  ['#token=%ff', '%ff'],
  ['#token=a%20b', 'a b'],
  ['#token=', undefined],
  ['#/a.chatmd', undefined],
  ['', undefined],
  ['#token=\n%', '\n%'],
])('the fragment %j is read and never throws', (hash, token) => {
  expect(readToken(hash)).toBe(token)
})
