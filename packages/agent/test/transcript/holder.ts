import { basename, dirname } from 'node:path'
import { folderStore } from '@argot/agent'
import { ArgotError } from 'argot'
import { openTranscript } from '../../src/transcript/open-transcript.ts'

/** A process of its own: takes the document, says so, and gives it free when its input ends. */
const [file = '', how] = process.argv.slice(2)

try {
  const transcript = await openTranscript(folderStore(dirname(file)), basename(file), { wait: how === 'wait' })
  process.stdout.write('open\n')
  for await (const _ of process.stdin);
  await transcript.close()
  process.stdout.write('closed\n')
} catch (error) {
  process.stdout.write(`${error instanceof ArgotError ? error.code : String(error)}\n`)
}
