import { setImmediate as turn } from 'node:timers/promises'
import { createAgent } from '@argot/agent'

// A program whose model has no key. It awaits the answer, or everything but the answer.
const run = createAgent({ model: 'openai:gpt-4o', env: {} }).run('Hello')
if (process.argv[2] === 'awaits') console.log(await run.text)
else {
  let last = ''
  for await (const { type } of run) last = type
  console.log(`chunks end with ${last}`)
  const result = await run.result
  console.log(result.status, 'code' in result ? result.code : '')
  await turn()
}
