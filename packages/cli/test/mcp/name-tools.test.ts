import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameTools } from '../../src/mcp/name-tools.ts'

const part = fc.stringMatching(/^[a-zä_. -]{1,40}$/)
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => `${parts.join('/')}.chatmd`)

test('every document has one valid name, whatever other documents there are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 20 }), paths => {
      const names = nameTools(paths)
      expect([...names.values()].sort()).toEqual([...paths].sort())
      for (const name of names.keys()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      // A document that comes later never takes the name of another.
      const fewer = nameTools(paths.slice(1))
      for (const [name, one] of fewer) expect([undefined, one]).toContain(names.get(name))
    }),
  )
})

test('names are paths, and only those that would be the same get a hash', () => {
  const names = [...nameTools(['a/b.chatmd', 'a_b.chatmd', 'c d.chatmd', 'e.chatmd']).keys()]
  expect(names).toEqual([expect.stringMatching(/^a_b_\w{8}$/), expect.stringMatching(/^a_b_\w{8}$/), 'c_d', 'e'])
})
