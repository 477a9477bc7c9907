import { testStore } from '@argot/agent/testing'
import { test } from 'vitest'
import { folderPlace } from './folder-place.ts'

testStore({ name: 'folder', test, create: folderPlace })
