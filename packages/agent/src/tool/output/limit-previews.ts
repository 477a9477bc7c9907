import { cutValue } from './cut-output.ts'

/** How much of one preview is shown. */
const PREVIEW_BYTES = 32 * 1024
/** How much may be shown at once, and how much more with every second. */
const BURST_BYTES = 256 * 1024
const BYTES_PER_SECOND = 64 * 1024
/** What a preview costs besides its text. */
const OVERHEAD_BYTES = 512

/**
 * Shows previews only as far as a log can keep them: each one is cut, and those that come too fast are left out. Nothing is
 * lost by that, because a later preview, and the output in the end, takes the place of those before it.
 */
export function limitPreviews(
  preview: (output: unknown) => void,
  now: () => number = () => performance.now(),
): (output: unknown) => void {
  let left = BURST_BYTES
  let last = now()
  return output => {
    const time = now()
    left = Math.min(BURST_BYTES, left + ((time - last) / 1000) * BYTES_PER_SECOND)
    last = time
    if (left <= 0) return
    const cut = cutValue(output, PREVIEW_BYTES)
    left -= OVERHEAD_BYTES + (JSON.stringify(cut)?.length ?? 0)
    preview(cut)
  }
}
