import { expect, test } from 'vitest'
import { LazyAbort } from '../../src/loop/calls/execute-call.ts'

test('whoever has the signal hears the first reason, once', () => {
  const stopping = new LazyAbort()
  const heard: unknown[] = []
  stopping.signal.addEventListener('abort', () => heard.push(stopping.signal.reason))
  stopping.abort('first')
  stopping.abort('second')
  expect(heard).toEqual(['first'])
})

test('who asks for the signal after the abort gets one that is aborted, for the first reason', () => {
  const stopping = new LazyAbort()
  stopping.abort('first')
  stopping.abort('second')
  expect(stopping.signal.aborted).toBe(true)
  expect(stopping.signal.reason).toBe('first')
  expect(stopping.signal).toBe(stopping.signal)
})
