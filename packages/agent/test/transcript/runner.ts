import { openTranscript } from '@argot/agent'
import { accumulate, type Chunk } from 'argot'
import { call, finishStep, modelDone, output, start, startOf, startStep, text } from './streams.ts'

/** A process of its own: runs the document without end and says after each chunk how far the log is. */
const [file = '', id = ''] = process.argv.slice(2)

const transcript = await openTranscript(file)
await transcript.begin({ id, payloads: 'external' })
const fold = accumulate()

async function push(chunks: readonly Chunk[]): Promise<void> {
  for (const chunk of chunks) {
    fold.push(chunk)
    process.stdout.write(`${transcript.push(chunk, fold)}\n`)
    if (chunk.type === 'finish-step') await transcript.sync()
  }
}

await push([{ ...start, messageId: id } as Chunk])
for (let step = 0; ; step++) {
  const model = [...text('t', 'I go on, ', 'step ', String(step)), ...call(`c${step}`, 'shell', { step })]
  await push([startStep, ...model, modelDone, startOf(`c${step}`), output(`c${step}`, { step }), finishStep])
}
