import { basename, dirname } from 'node:path'
import { folderStore } from '@argot/agent'
import { accumulate, type Chunk } from '@argot/core'
import { openTranscript } from '../../src/transcript/open-transcript.ts'
import { call, finishStep, modelDone, output, start, startOf, startStep, text } from './streams.ts'

/** A process of its own: runs the document without end and says after each chunk how far the log is. */
const [file = '', id = ''] = process.argv.slice(2)

const transcript = await openTranscript(folderStore(dirname(file)), basename(file))
await transcript.begin({ id, payloads: 'external' })
const fold = accumulate()

async function push(chunks: readonly Chunk[]): Promise<void> {
  for (const chunk of chunks) {
    fold.push(chunk)
    const offset = transcript.push(chunk, fold)
    await transcript.flush()
    process.stdout.write(`${offset}\n`)
    if (chunk.type === 'finish-step') await transcript.sync()
  }
}

await push([{ ...start, messageId: id } as Chunk])
for (let step = 0; ; step++) {
  const model = [...text('t', 'I go on, ', 'step ', String(step)), ...call(`c${step}`, 'shell', { step })]
  await push([startStep, ...model, modelDone, startOf(`c${step}`), output(`c${step}`, { step }), finishStep])
}
