import { createShellTool, openSandbox } from '@argot/agent/workshop'
import { callTool } from '../tool/tool-context.ts'

/** A process of some user that runs scripts in a sandbox on a folder, and prints which boundary held and what came of them. */
const [project = '', ...scripts] = process.argv.slice(2)
const sandbox = await openSandbox({ roots: [project] })
const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: project, env: process.env, sandbox })
const outputs: string[] = []
for (const script of scripts) outputs.push(String((await callTool(tool, { arguments: [script] })).output))
console.log(JSON.stringify({ boundary: sandbox.describe(false), outputs }))
