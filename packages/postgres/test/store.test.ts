import { testStore } from '@argot/agent/testing'
import { test } from 'vitest'
import { postgresPlace } from './places.ts'

testStore({
  name: 'postgres',
  test,
  create: postgresPlace,
  skip: {
    tear: 'a line is there or not',
    openAsStranger: 'only we have the password',
    openFull: 'its disk is that of the database',
  },
})
