import type { IncomingMessage } from 'node:http'

/** Takes one piece of a body. False stops reading; a promise delays the next piece. */
export type TakePiece = (piece: Buffer) => boolean | Promise<boolean>

/**
 * Reads a body no faster than `take` allows. Resolves at its end, or once `take` stops: the body is then paused.
 * Rejects with the error of a broken connection, or with the one that `take` threw.
 *
 * An iterator over the body would need several promises per piece, which is most of a short piece's cost.
 */
export function readPieces(body: IncomingMessage, take: TakePiece): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      body.pause()
      body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    }
    const onEnd = (): void => {
      leave()
      resolve()
    }
    const onError = (error: unknown): void => {
      leave()
      reject(error)
    }
    const onClose = (): void => onError(Object.assign(new Error('The body was closed.'), { code: 'ECONNRESET' }))
    const onData = (piece: Buffer): void => {
      try {
        const more = take(piece)
        if (more === true) return
        if (more === false) return onEnd()
        body.pause()
        more.then(isMore => (isMore ? body.resume() : onEnd()), onError)
      } catch (error) {
        onError(error)
      }
    }
    if (body.destroyed && !body.readableEnded) return onClose()
    body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}
