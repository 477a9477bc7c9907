import { expect, test } from 'vitest'
import { serveFolder } from './served-folder.ts'

const files = { 'a.chatmd': '<user>\nHello\n</user>\n' }

test('a run says what it cost once it is over, if there is a price; and nothing otherwise', async () => {
  const priced = await serveFolder(['Hello.'], { files, run: { price: { input: 2, output: 10 } } })
  const { id } = await priced.post('/api/runs', { document: 'a.chatmd' })
  const { usage } = await priced.until(id, 'done')
  expect(usage.cost).toBeCloseTo((usage.inputTokens * 2 + usage.outputTokens * 10) / 1e6, 12)
  expect(usage.cost).toBeGreaterThan(0)
  const other = await priced.restart(['Hello.'])
  expect((await other.get(`/api/runs/${id}`)).usage.cost).toBe(usage.cost)
  const free = await serveFolder(['Hello.'], { files })
  const run = await free.post('/api/runs', { document: 'a.chatmd' })
  expect((await free.until(run.id, 'done')).usage).not.toHaveProperty('cost')
})
