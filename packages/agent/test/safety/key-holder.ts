import { createShellTool } from '@argot/agent/workshop'
import { callTool } from '../tool/tool-context.ts'

/** A process with keys in its environment that runs a script as a tool does, unconfined, and prints what came of it. */
const [script = ''] = process.argv.slice(2)
const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: '.', env: { PATH: process.env.PATH } })
const { output } = await callTool(tool, { arguments: [script] })
console.log(JSON.stringify({ output, key: process.env.OPENAI_API_KEY, address: process.env.DATABASE_URL }))
