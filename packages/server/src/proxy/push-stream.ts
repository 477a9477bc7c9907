import type { Write } from './exchange.ts'
import type { OnEnd } from './pass-through.ts'

/**
 * A stream of what `run` writes. Writing waits for a reader that is slower, and `run` is told through `onEnd` if the reader
 * leaves. An error of `run` has been written by it, so it ends the stream like any other.
 */
export function pushStream(run: (write: Write) => Promise<void>, onEnd: OnEnd): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let resume: (() => void) | undefined
  let hasLeft = false
  const wake = (): void => {
    resume?.()
    resume = undefined
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write: Write = text => {
        if (text === '' || hasLeft) return undefined
        controller.enqueue(encoder.encode(text))
        if ((controller.desiredSize ?? 1) > 0) return undefined
        return new Promise(resolve => {
          resume = resolve
        })
      }
      const end = (): void => {
        if (hasLeft) return
        onEnd(true)
        controller.close()
      }
      void run(write).then(end, end)
    },
    pull: wake,
    cancel() {
      hasLeft = true
      onEnd(false)
      wake()
    },
  })
}
