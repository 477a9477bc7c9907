/** Uses only functions that every platform has. */
export function encodeBase64(bytes: Uint8Array): string {
  let base64 = ''
  for (let start = 0; start < bytes.length; start += PIECE) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE)))
  }
  return base64
}

/** A multiple of three, so that only the last piece is padded, and few enough for the arguments of one call. */
const PIECE = 0x6000
