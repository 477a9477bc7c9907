/** If it returns a promise, the client reads slowly: await it before the next piece. */
export type Write = (piece: string | Uint8Array) => Promise<void> | undefined

/** Called once, when the last piece was written or the reader left. */
export type OnEnd = (isComplete: boolean) => void

/** A stream of what `run` writes. Writing waits for slower readers. The stream fails if `run` rejects. */
export function pushStream(run: (write: Write) => Promise<void>, onEnd: OnEnd): ReadableStream<Uint8Array> {
  let resume: (() => void) | undefined
  let isOver = false
  const wake = (): void => {
    resume?.()
    resume = undefined
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write: Write = piece => {
        if (piece.length === 0 || isOver) return undefined
        controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece)
        if ((controller.desiredSize ?? 1) > 0) return undefined
        return new Promise(resolve => {
          resume = resolve
        })
      }
      const end = (isComplete: boolean, close: () => void): void => {
        if (isOver) return
        isOver = true
        onEnd(isComplete)
        close()
      }
      run(write).then(
        () => end(true, () => controller.close()),
        error => end(false, () => controller.error(error)),
      )
    },
    pull: wake,
    cancel() {
      if (isOver) return
      isOver = true
      onEnd(false)
      wake()
    },
  })
}
