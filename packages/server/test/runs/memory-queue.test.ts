import { testQueue } from '@argot/server/testing'
import { test } from 'vitest'
import { MemoryQueue } from './memory-queue.ts'

testQueue({
  name: 'a queue in memory',
  test,
  async create() {
    let last: MemoryQueue | undefined
    return {
      async open() {
        last = new MemoryQueue(last?.jobs)
        return last
      },
      async remove() {},
    }
  },
})
