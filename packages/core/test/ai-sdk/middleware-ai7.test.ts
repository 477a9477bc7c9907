import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'

/** Where `npm run test:node24` has put Node 24 and `ai` 7, too new for the Node that is promised here. */
const folder = process.env.ARGOT_AI7 ?? ''
const node = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)

test.skipIf(folder === '' || !existsSync(node))('with `ai` 7 every syntax gets a whole loop of tools', async () => {
  const client = fileURLToPath(new URL('./middleware-ai7-client.mjs', import.meta.url))
  const ai = join(folder, 'node_modules/ai/dist/index.js')
  const { stdout } = await promisify(execFile)(node, ['--conditions=@argot/source', '--no-warnings', client, ai], {
    timeout: 100_000,
    maxBuffer: 1 << 24,
  })
  const found = JSON.parse(stdout) as Record<string, unknown>
  const kinds = ['streamText', 'generateText', 'ToolLoopAgent']
  const names = syntaxes.names().filter(name => name !== 'native')
  expect(Object.keys(found)).toEqual(names.flatMap(name => kinds.map(kind => `${name} ${kind}`)))
  for (const [key, result] of Object.entries(found)) {
    expect([key, result]).toEqual([
      key,
      {
        finish: ['tool-calls', 'stop'],
        reasoning: 'Two cities.',
        said: 'I look.',
        called: [{ city: 'Oslo', days: 2 }, { city: 'Rome' }],
        answer: 'Rain in both.',
        sentTools: [0, 0],
        sentResults: true,
      },
    ])
  }
})
