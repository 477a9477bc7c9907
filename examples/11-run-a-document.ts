import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'

const cwd = await mkdtemp(join(tmpdir(), 'argot-'))
const file = join(cwd, 'chat.chatmd')
await writeFile(join(cwd, 'notes.md'), 'The pear tree is thirsty.\n')
await writeFile(file, '<tool name="read_file"/>\n\n<user>\nWhat does notes.md say?\n</user>\n')

// One step only: the model calls the tool, and the run ends before the answer.
const first = runDocument(file, { cwd, model: 'demo', maxSteps: 1 })
for await (const chunk of first) if (chunk.type.startsWith('tool-output')) console.log(chunk.type)
const stopped = await first.result
console.log(stopped.status, stopped.status === 'failed' && stopped.code)

// The same again: the document says what has happened, so the run continues after the tool's output.
const second = runDocument(file, { cwd, model: 'demo' })
for await (const chunk of second) if (chunk.type.startsWith('tool-output')) console.log(chunk.type)
const text = await second.text
console.log('done', text.split('\n')[2])

const elements = (await readFile(file, 'utf8')).match(/^<\w+/gm)
console.log(elements?.join(' '))
await rm(cwd, { recursive: true })
