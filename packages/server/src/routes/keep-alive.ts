/** A silent connection gets a comment after half of this time at the earliest, and after all of it at the latest. */
const KEEP_ALIVE_MS = 15_000

/** A stream that proxies must not consider dead. */
export interface KeptAlive {
  /** Nothing was sent since the last check. Every write clears it. */
  isSilent: boolean
  remind(): void
}

const streams = new Set<KeptAlive>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Keeps an idle stream alive until the returned function is called. All streams share one timer. */
export function keepAlive(stream: KeptAlive): () => void {
  streams.add(stream)
  if (timer === undefined) schedule()
  return () => {
    streams.delete(stream)
    if (streams.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }
}

function schedule(): void {
  timer = setTimeout(remindSilent, KEEP_ALIVE_MS / 2)
  timer.unref()
}

function remindSilent(): void {
  schedule()
  for (const stream of streams) {
    if (stream.isSilent) stream.remind()
    stream.isSilent = true
  }
}
