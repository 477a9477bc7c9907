import { useEffect, useRef, useState } from 'react'
import type { DialectReading } from '../reading/compare-dialects.ts'
import type { Cost, ReplyConversion } from '../reading/convert-reply.ts'
import type { Reading, ReadRequest } from '../reading/reading.ts'
import type { WorkerAnswer, WorkerRequest } from '../reading/worker.ts'

export interface ReadingAnswers {
  request: ReadRequest
  reading: Reading
  names: string[]
  costs?: Cost[]
  conversion?: ReplyConversion
  /** Undefined for texts that are too long to compare. */
  dialects?: DialectReading[] | undefined
}

export interface ReadingState {
  /** Those of the newest request that was read. */
  answers: ReadingAnswers | undefined
  isBusy: boolean
  failure: string | undefined
}

/** Long texts wait for a pause in typing. */
const LONG = 50_000
const PAUSE_MS = 200

/** Reads in a worker, so that typing never waits. */
export function useReading(request: ReadRequest, target: string): ReadingState {
  const [state, setState] = useState<ReadingState>({ answers: undefined, isBusy: true, failure: undefined })
  const worker = useRef<Worker>(undefined)
  const sent = useRef<WorkerRequest>(undefined)
  const ids = useRef(0)

  useEffect(() => {
    const newWorker = new Worker(new URL('../reading/worker.ts', import.meta.url), { type: 'module' })
    worker.current = newWorker
    newWorker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      const request = sent.current
      if (request?.id === data.id) setState(before => takeAnswer(before, request, data))
    }
    newWorker.onerror = () =>
      setState(before => ({ ...before, isBusy: false, failure: 'The reader could not start. Reload the page.' }))
    return () => newWorker.terminate()
  }, [])

  useEffect(() => {
    const send = (): void => {
      sent.current = { ...request, target, id: ++ids.current }
      worker.current?.postMessage(sent.current)
    }
    setState(before => (before.isBusy ? before : { ...before, isBusy: true }))
    if (request.text.length <= LONG) return send()
    const timer = setTimeout(send, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [request, target])

  return state
}

function takeAnswer(before: ReadingState, request: ReadRequest, answer: WorkerAnswer): ReadingState {
  if (answer.type === 'failure') return { ...before, isBusy: false, failure: answer.message }
  if (answer.type === 'reading') {
    // The other results stay until they arrive again.
    const { costs, conversion, dialects } = before.answers ?? {}
    const results = { ...(costs && { costs }), ...(conversion && { conversion }), ...(dialects && { dialects }) }
    return {
      answers: { ...results, request, reading: answer.reading, names: answer.names },
      isBusy: true,
      failure: undefined,
    }
  }
  if (before.answers === undefined) return before
  const { type, id: _id, ...news } = answer
  return { ...before, answers: { ...before.answers, ...news }, isBusy: type !== 'dialects' }
}
