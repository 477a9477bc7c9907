import { expect, test } from 'vitest'
import { bundleSizes } from './bundle-sizes.ts'

const kilobyte = 1000

test.each([
  { name: 'a tool card', names: ['ToolCard'], most: 15 },
  { name: 'the chat box, with the fold and the virtual list', names: ['ChatBox'], most: 60 },
])('$name is at most $most kB', async ({ name, names, most }) => {
  const { first, later } = await bundleSizes(names)
  const chunks = [...later].map(([chunk, size]) => `${chunk} ${(size / kilobyte).toFixed(1)}`)
  console.log(`${name}: ${(first / kilobyte).toFixed(1)} kB gz; later: ${chunks.join(', ')}`)
  expect(first / kilobyte).toBeLessThanOrEqual(most)
  expect([...later.keys()].some(chunk => chunk.includes('markdown'))).toBe(true)
})
