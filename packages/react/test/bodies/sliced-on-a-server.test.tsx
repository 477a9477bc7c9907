import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import DiffBody from '../../src/bodies/diff/diff-body.tsx'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a server renders the same however slow it is, so that a browser can take it over', () => {
  const quick = renderToString(<DiffBody name="a.ts" before={'a\nb'} after={'a\nc'} />)
  expect(quick).toContain('+1 −1')
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000))
  expect(renderToString(<DiffBody name="a.ts" before={'a\nb'} after={'a\nc'} />)).toBe(quick)
})
