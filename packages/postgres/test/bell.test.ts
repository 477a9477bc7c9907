import { expect, test } from 'vitest'
import { Bell } from '../src/database/bell.ts'
import type { PostgresClient } from '../src/database/pool.ts'

test('a connection that drops before it listens is given back, and another one is tried', async () => {
  const given: string[] = []
  const bell = new Bell({
    channel: 'any',
    onConnect: async () => {},
    connect: async () => {
      given.push('taken')
      const isFirst = given.length === 1
      const client = {
        query: () => (isFirst ? Promise.reject(new Error('Connection terminated')) : Promise.resolve({ rows: [] })),
        release: () => void given.push('released'),
        on: () => {},
      }
      return client as unknown as PostgresClient
    },
  })
  bell.open()
  await expect.poll(() => given).toEqual(['taken', 'released', 'taken'])
  bell.close()
  expect(given).toEqual(['taken', 'released', 'taken', 'released'])
})
