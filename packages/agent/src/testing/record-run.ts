import { type Accumulator, accumulate, type Chunk } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import type { Payloads, Store } from '../store/store.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { documentPath, runId } from './store-law.ts'

/** Flushes each chunk, and syncs when a loop would. Calls `onFlushed` with the number so far. */
export async function pushAll(
  transcript: Transcript,
  chunks: readonly Chunk[],
  fold: Accumulator = accumulate(),
  onFlushed: (count: number) => void = () => {},
): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    fold.push(chunk)
    transcript.push(chunk, fold)
    await transcript.flush()
    onFlushed(index + 1)
    if (chunk.type === 'finish-step' || chunk.type === 'data-argot-call') await transcript.sync()
  }
}

export interface RecordingOptions {
  path?: string
  run?: string
  payloads?: Payloads
  onFlushed?: (count: number) => void
}

export async function beginRun(
  store: Store,
  { path = documentPath, run = runId, payloads = 'external' }: RecordingOptions = {},
): Promise<Transcript> {
  const transcript = await openTranscript(store, path)
  await transcript.begin({ id: run, payloads })
  return transcript
}

/** Also releases the document. */
export async function recordRun(
  store: Store,
  chunks: readonly Chunk[],
  recording: RecordingOptions = {},
): Promise<void> {
  const transcript = await beginRun(store, recording)
  await pushAll(transcript, chunks, undefined, recording.onFlushed)
  await transcript.close()
}

/** Also releases the document. */
export async function resumeRun(store: Store, chunks: readonly Chunk[]): Promise<void> {
  const transcript = await openTranscript(store, documentPath)
  await pushAll(transcript, chunks, await transcript.resume())
  await transcript.close()
}

export async function collect(store: Store, run: string = runId, from?: number): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for await (const line of store.logs.follow(run, from)) lines.push(line)
  return lines
}
