/** One WebP image, and how long it is shown. */
export interface Frame {
  webp: Uint8Array
  milliseconds: number
}

interface Size {
  width: number
  height: number
}

/**
 * Joins images of one size into an animation that loops forever. Each image keeps its own bytes, so nothing is encoded
 * again. The container format: https://developers.google.com/speed/webp/docs/riff_container
 */
export function joinFrames(frames: readonly Frame[], { width, height }: Size): Buffer {
  const canvas = Buffer.alloc(10)
  canvas[0] = 0x02
  canvas.writeUIntLE(width - 1, 4, 3)
  canvas.writeUIntLE(height - 1, 7, 3)
  // White background, endless loop.
  const animation = Buffer.from([255, 255, 255, 255, 0, 0])
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', canvas),
    chunk('ANIM', animation),
    ...frames.map(({ webp, milliseconds }) => {
      const head = Buffer.alloc(16)
      head.writeUIntLE(width - 1, 6, 3)
      head.writeUIntLE(height - 1, 9, 3)
      head.writeUIntLE(Math.round(milliseconds), 12, 3)
      // The frame replaces the whole image: no blending, no clearing.
      head[15] = 0x02
      return chunk('ANMF', Buffer.concat([head, readImage(webp)]))
    }),
  ])
  return chunk('RIFF', body)
}

/** Only the chunks with image data. */
function readImage(webp: Uint8Array): Buffer {
  const file = Buffer.from(webp)
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') {
    throw new Error('A frame is not a picture in WebP.')
  }
  const image: Buffer[] = []
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (['ALPH', 'VP8 ', 'VP8L'].includes(file.toString('latin1', at, at + 4))) image.push(file.subarray(at, end))
    at = end
  }
  return Buffer.concat(image)
}

/** Chunks are padded to an even number of bytes. */
function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
