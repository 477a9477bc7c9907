import { testStore } from '@argot/agent/testing'
import { test } from 'vitest'
import { MemoryPlace } from './memory-store.ts'

testStore({
  name: 'memory',
  test,
  create: async documents => new MemoryPlace(documents),
  skip: {
    tear: 'a line is there or not',
    openAsStranger: 'nobody else gets at this memory',
    fallSilent: 'all processes are one',
    openFull: 'it has no disk',
  },
})
