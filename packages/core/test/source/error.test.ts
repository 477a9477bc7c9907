import { ArgotError } from '@argot/core'
import { expect, test, vi } from 'vitest'

class Special extends ArgotError {}

test('an error of another copy of the package is one', async () => {
  vi.resetModules()
  const copy = await import('@argot/core')
  expect(copy.ArgotError).not.toBe(ArgotError)
  expect(new copy.ArgotError('TOOL_BAD_NAME', 'No.')).toBeInstanceOf(ArgotError)
})

test('what only looks like one is none, and a class that extends it knows its own', () => {
  const lookalike = Object.assign(new Error('No.'), { name: 'ArgotError', code: 'TOOL_BAD_NAME' })
  for (const value of [lookalike, undefined, null, 'ArgotError', 1]) expect(value instanceof ArgotError).toBe(false)
  expect(new ArgotError('TOOL_BAD_NAME', 'No.')).not.toBeInstanceOf(Special)
  expect(new Special('TOOL_BAD_NAME', 'No.')).toBeInstanceOf(Special)
  expect(new Special('TOOL_BAD_NAME', 'No.')).toBeInstanceOf(ArgotError)
})

test('the mark shows nowhere', () => {
  const error = new ArgotError('TOOL_BAD_NAME', 'No.')
  expect(Object.keys(error)).toEqual(['code', 'name'].sort())
  expect({ ...error }).toEqual({ name: 'ArgotError', code: 'TOOL_BAD_NAME' })
})
