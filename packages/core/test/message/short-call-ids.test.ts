import { callNumber, ShortCallIds } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const digits = fc.stringMatching(/^[0-9]{1,20}$/)
const edge = fc.constantFrom('999998', '999999', '1000000', '99999999', '999999999', '1000000000', '9007199254740993')
/** Ids that a stranger's document may have. */
const strange = fc.oneof(
  fc.oneof(digits, edge).map(number => `c${number}`),
  fc.integer({ min: 1, max: 50 }).map(number => `c${number}`),
  fc.string(),
)

test('no id is given that was there before, whatever ids a document has and however often it is opened', () => {
  fc.assert(
    fc.property(fc.array(strange), fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }), (found, openings) => {
      const used = new Set(found)
      for (const count of openings) {
        const ids = new ShortCallIds(Math.max(0, ...[...used].map(callNumber)))
        for (let call = 0; call < count; call++) {
          const id = ids.take(`given-${call}`)
          expect(used).not.toContain(id)
          expect(id).toMatch(/^c[a-z0-9]{1,8}$/)
          used.add(id)
        }
      }
    }),
  )
})

test('ids go on from the highest number that can be ours', () => {
  expect(new ShortCallIds(callNumber('c41')).next()).toBe('c42')
  expect(callNumber('c1000000')).toBe(0)
  const ids = new ShortCallIds(callNumber('c999998'))
  expect(ids.next()).toBe('c999999')
  expect(ids.next()).toMatch(/^c[a-v0-9]{8}$/)
  // A sidecar may say any number.
  expect(new ShortCallIds(Number.MAX_SAFE_INTEGER).next()).toMatch(/^c[a-v0-9]{8}$/)
})
