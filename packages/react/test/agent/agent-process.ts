import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type ApprovalAnswer, createAgent, createBuiltinTools, createWorkspace, userMessage } from '@argot/agent'
import { call, finish, scriptedModel } from '../../../agent/test/scripted-model.ts'

// A run of the agent for a test in a browser: a model wants to write `config.ts`, which holds a key. It writes each chunk
// as a line, and reads the answer to its question from its input; the last line is the file as it is then.

const key = process.env.API_KEY!
const folder = await mkdtemp(join(tmpdir(), 'argot-react-'))
const file = join(folder, 'config.ts')
await writeFile(file, `export const retries = 3\nexport const key = '${key}'\n`)
const agent = createAgent({
  model: scriptedModel([
    [...call('c1', 'write_file', { path: 'config.ts', content: 'export const retries = 5\n' }), finish('tool-calls')],
    'Done.',
  ]),
  tools: [createBuiltinTools({ workspace: createWorkspace({ roots: [folder] }) }).get('write_file')!],
  approve: 'ask',
  ask: 'wait',
  env: { API_KEY: key },
})
const run = agent.run([userMessage('Five retries.')])
const lines = createInterface({ input: process.stdin })
lines.once('line', line => {
  const { id, answer } = JSON.parse(line) as { id: string; answer: ApprovalAnswer }
  run.answer(id, answer)
})
for await (const chunk of run) process.stdout.write(`${JSON.stringify({ chunk })}\n`)
process.stdout.write(`${JSON.stringify({ file: await readFile(file, 'utf8') })}\n`)
lines.close()
await rm(folder, { recursive: true })
