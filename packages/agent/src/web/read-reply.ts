import type { IncomingMessage } from 'node:http'
import { addAbortSignal, pipeline, type Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { SourceError } from '../files/source-error.ts'
import { describeBytes } from '../words/describe-bytes.ts'
import { quoted } from '../words/quoted.ts'

/** Servers may apply two compressions. More is an attack. */
const MAX_CODINGS = 2

export interface ReadReplyOptions {
  name: string
  /** Size of the decompressed body in bytes. */
  limit: number
  onPiece: () => void
  signal: AbortSignal
}

/** Reads and decompresses a response body. Stops reading as soon as it exceeds the limit. */
export async function readReply(reply: IncomingMessage, options: ReadReplyOptions): Promise<Buffer> {
  const { name, limit, onPiece, signal } = options
  const codings = decompressors(reply.headers['content-encoding'] ?? '', name)
  if (Number(reply.headers['content-length'] ?? 0) > limit) throw tooLarge(name, limit)
  const meter = new Transform({
    transform(piece, _, done) {
      onPiece()
      done(null, piece)
    },
  })
  // An error in any stage destroys all of them, and the last one reports it.
  const body = [meter, ...codings].reduce<Readable>((source, stage) => pipeline(source, stage, () => {}), reply)
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > limit) throw tooLarge(name, limit)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function decompressors(header: string, name: string): Transform[] {
  const codings = header
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  if (codings.length > MAX_CODINGS) {
    const message = `${quoted(name)} sent a reply that is compressed ${codings.length} times.`
    throw new SourceError('CHATMD_BAD_REPLY', message, 'Use another source.')
  }
  // The last coding in the list was applied last.
  return codings.reverse().map(coding => {
    if (coding === 'gzip' || coding === 'x-gzip') return createGunzip()
    if (coding === 'br') return createBrotliDecompress()
    if (coding === 'deflate') return createInflate()
    const message = `${quoted(name)} sent a reply compressed with ${quoted(coding)}, which Argot didn't request.`
    throw new SourceError('CHATMD_BAD_REPLY', message, 'Use another source.')
  })
}

function tooLarge(name: string, limit: number): SourceError {
  const message = `${quoted(name)} is larger than ${describeBytes(limit)}, so it can't be read.`
  return new SourceError('CHATMD_SOURCE_TOO_LARGE', message, 'Insert a part of it, or raise the limit.')
}
