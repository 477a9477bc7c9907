import { compareDialects, type DialectReading, textSyntaxes } from './compare-dialects.ts'
import { type Cost, convertReply, estimateCosts, type ReplyConversion } from './convert-reply.ts'
import { readReply, type Slices } from './read-reply.ts'
import type { Reading, ReadRequest } from './reading.ts'

/** A request from the page. A newer request cancels the older one. */
export interface WorkerRequest extends ReadRequest {
  id: number
  target: string
}

/** The worker's answers, each sent as soon as it is ready. */
export type WorkerAnswer = { id: number } & (
  | { type: 'reading'; reading: Reading; names: string[] }
  | { type: 'costs'; costs: Cost[] }
  | { type: 'conversion'; conversion: ReplyConversion }
  | { type: 'dialects'; dialects: DialectReading[] | undefined }
  | { type: 'failure'; message: string }
)

/** How long a slice of work may take before the worker checks for newer requests. */
const SLICE_MS = 24

/** Reading a longer text fifty times takes too long. */
const LONGEST_COMPARED = 200_000

let newest = 0

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  newest = data.id
  work(data).catch((error: unknown) => {
    if (error !== outdated) postAnswer({ id: data.id, type: 'failure', message: String(error) })
  })
})

async function work(request: WorkerRequest): Promise<void> {
  const { id, target } = request
  const reading = await run(id, readReply(request))
  postAnswer({ id, type: 'reading', reading, names: textSyntaxes() })
  postAnswer({ id, type: 'costs', costs: await run(id, estimateCosts(reading.calls, request)) })
  postAnswer({ id, type: 'conversion', conversion: await run(id, convertReply(reading, request, target)) })
  const isShort = request.text.length <= LONGEST_COMPARED
  const dialects = isShort ? await run(id, compareDialects(request, reading.calls)) : undefined
  postAnswer({ id, type: 'dialects', dialects })
}

const outdated = new Error('A newer request has arrived.')

async function run<T>(id: number, slices: Slices<T>): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS
    do {
      const step = slices.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    await new Promise(resume => setTimeout(resume))
    if (id !== newest) throw outdated
  }
}

function postAnswer(answer: WorkerAnswer): void {
  postMessage(answer)
}
