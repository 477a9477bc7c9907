import { expect, test } from 'vitest'
import { readDrawing } from './read-drawing.ts'

test('readDrawing reads chains of groups, continued on lines that are indented', () => {
  const page =
    'Text.\n\n```\nother\n```\n\n```\npackages  a ─▶ b\nb         index ─▶ x, y ─▶ z\n          y ─▶ w      z ─▶ w\n```\n'
  expect(readDrawing(page)).toEqual({
    packages: { a: ['b'] },
    b: { index: ['x', 'y'], x: ['z'], y: ['w', 'z'], z: ['w'] },
  })
})

test('readDrawing refuses a page without one', () => {
  expect(() => readDrawing('```\na\n```\n')).toThrow('no drawing')
})
