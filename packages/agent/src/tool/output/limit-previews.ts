import { cutValue } from './cut-output.ts'

const PREVIEW_BYTES = 32 * 1024
/** How much may be shown immediately (burst), and how much more per second. */
const BURST_BYTES = 256 * 1024
const BYTES_PER_SECOND = 64 * 1024
const OVERHEAD_BYTES = 512

/**
 * Limits previews to what a log can keep: cuts each one, and drops those that come too fast. Nothing is lost, because a
 * later preview, or finally the output, replaces the earlier ones.
 */
export function limitPreviews(
  preview: (output: unknown) => void,
  now: () => number = () => performance.now(),
): (output: unknown) => void {
  let left = BURST_BYTES
  let lastTime = now()
  return output => {
    const time = now()
    left = Math.min(BURST_BYTES, left + ((time - lastTime) / 1000) * BYTES_PER_SECOND)
    lastTime = time
    if (left <= 0) return
    const cut = cutValue(output, PREVIEW_BYTES)
    left -= OVERHEAD_BYTES + (JSON.stringify(cut)?.length ?? 0)
    preview(cut)
  }
}
