import { findBranchPoints } from '@argot/agent/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'

interface Family {
  messages: Map<string, number[]>
  origins: Map<string, { of: string; keeps: number; at: number } | undefined>
}

/** Each pair makes a branch of an earlier document, at a message of it. */
function grow(steps: readonly (readonly [number, number])[]): Family {
  let next = 0
  const messages = new Map([['doc0', [next++, next++, next++]]])
  const origins: Family['origins'] = new Map([['doc0', undefined]])
  for (const [from, place] of steps) {
    const of = [...messages.keys()][from % messages.size]!
    const history = messages.get(of)!
    const keeps = place % history.length
    const name = `doc${messages.size}`
    messages.set(name, [...history.slice(0, keeps), next++, next++])
    origins.set(name, { of, keeps, at: messages.size })
  }
  return { messages, origins }
}

const steps = fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { maxLength: 12 })

test('the documents of a branch point are all that share the history and then differ, each once', () => {
  fc.assert(
    fc.property(steps, list => {
      const { messages, origins } = grow(list)
      for (const [name, own] of messages) {
        const expected = own.flatMap((_, keeps) => {
          const next = new Set(
            [...messages.values()]
              .filter(other => own.slice(0, keeps).every((one, index) => other[index] === one) && keeps < other.length)
              .map(other => other[keeps]!),
          )
          return next.size > 1 ? [{ keeps, next: [...next].sort() }] : []
        })
        const points = findBranchPoints(name, origins)
        const seen = points.map(({ keeps, documents }) => ({
          keeps,
          next: documents.map(document => messages.get(document)![keeps]!).sort(),
        }))
        expect(seen).toEqual(expected)
        for (const { documents, current } of points) expect(documents[current]).toBe(name)
      }
    }),
  )
})

test('branches of one message have the same order wherever one looks, the oldest first', () => {
  fc.assert(
    fc.property(steps, list => {
      const { messages, origins } = grow(list)
      for (const name of messages.keys()) {
        for (const { keeps, documents } of findBranchPoints(name, origins)) {
          for (const [place, other] of documents.entries()) {
            const same = findBranchPoints(other, origins).find(point => point.keeps === keeps)!
            expect(same.current).toBe(place)
          }
        }
      }
    }),
  )
})

test('origins in a circle, of themselves or gone do no harm', () => {
  const at = 1
  expect(findBranchPoints('a', new Map([['a', { of: 'a', keeps: 1, at }]]))).toEqual([])
  const circle = new Map([
    ['a', { of: 'b', keeps: 1, at }],
    ['b', { of: 'a', keeps: 1, at }],
  ])
  expect(findBranchPoints('a', circle)).toEqual([])
  const orphans = new Map([
    ['a.1', { of: 'a', keeps: 1, at: 1 }],
    ['a.2', { of: 'a', keeps: 1, at: 2 }],
  ])
  expect(findBranchPoints('a.2', orphans)).toEqual([{ keeps: 1, documents: ['a.1', 'a.2'], current: 1 }])
})
