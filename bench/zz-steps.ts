import { createAgent, defineTool } from '@argot/agent'
import { callsInSteps, preparedModel, xmlWithoutLimit } from './agent-cases.ts'
import { modelAlone } from './agent-runners.ts'
const look = defineTool({ name: 'look', description: 'Looks at a file.', effect: 'read',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false } as const, execute: () => 'ok' })
const sizes = (process.argv[2] ?? '100,990,4000').split(',').map(Number)
const wordings = (process.argv[3] ?? 'native,xml').split(',') as ('native'|'xml')[]
const rounds = Number(process.argv[4] ?? 3)
for (const wording of wordings) for (const size of sizes) {
  const steps = callsInSteps.steps(size, wording)
  let least = Infinity, leastModel = Infinity
  for (let r = 0; r < rounds; r++) {
    globalThis.gc?.()
    let before = process.cpuUsage()
    let n = 0
    const run = createAgent({ model: preparedModel(steps), syntax: wording === 'xml' ? xmlWithoutLimit : wording, tools: [look], maxSteps: 1e6, env: {} }).run('Go.')
    for await (const c of run) if (c.type === 'tool-output-available') n++
    const res = await run.result
    if (n !== size || res.status !== 'done') throw new Error(JSON.stringify(res).slice(0, 300))
    let u = process.cpuUsage(before); least = Math.min(least, u.user + u.system)
    const alone = modelAlone.prepare(callsInSteps, size, wording)
    before = process.cpuUsage(); await alone(); u = process.cpuUsage(before); leastModel = Math.min(leastModel, u.user + u.system)
  }
  console.log(wording, size, (least / size).toFixed(0), 'µs/step; model alone', (leastModel / size).toFixed(0))
}
