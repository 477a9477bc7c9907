import { basename, dirname } from 'node:path'
import { folderStore } from '@argot/agent'
import { ArgotError, type Message } from '@argot/core'
import { openTranscript } from '../../src/transcript/open-transcript.ts'

/** A process of its own: takes the document, says so, and when its input ends, writes if told to, and gives it free. */
const [file = '', how] = process.argv.slice(2)

try {
  const transcript = await openTranscript(folderStore(dirname(file)), basename(file), {
    wait: how === 'wait',
    takeOver: how === 'take-over',
  })
  process.stdout.write('open\n')
  for await (const _ of process.stdin);
  if (how === 'write') {
    const message: Message = {
      id: 'm',
      role: 'user',
      status: 'sent',
      parts: [{ type: 'text', id: 'p', text: 'late', state: 'done' }],
    }
    await transcript.write(message)
    process.stdout.write('written\n')
  }
  await transcript.close()
  process.stdout.write('closed\n')
} catch (error) {
  process.stdout.write(`${error instanceof ArgotError ? error.code : String(error)}\n`)
}
