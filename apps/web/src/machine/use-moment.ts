import type { ReplayPlayer } from '@argot/react'
import { useEffect, useState } from 'react'
import { type Moment, momentHref } from '../frame/use-route.ts'
import { words } from '../locale/words.ts'

/** The address follows after this long: browsers refuse to change it many times a second. */
const ADDRESS_MS = 250

/**
 * Goes to the moment in the address: after a call's last chunk, or after this many chunks; by default the end. Reports
 * if the run does not have that moment.
 */
export function useMoment(player: ReplayPlayer, { call, chunk }: Moment): string | undefined {
  const [momentProblem, setMomentProblem] = useState<string>()
  useEffect(() => {
    let isThere = false
    const go = (): void => {
      const { chunks } = player.position()
      if (isThere || chunks === 0) return
      isThere = true
      const { place, problem } = findChunk(player, { call, chunk }, chunks)
      setMomentProblem(problem)
      player.seek(place)
    }
    go()
    return player.subscribe(go)
  }, [player, call, chunk])
  return momentProblem
}

function findChunk(
  { timeline }: ReplayPlayer,
  { call, chunk }: Moment,
  chunks: number,
): { place: number; problem?: string } {
  if (call !== undefined) {
    const last = timeline.findLastIndex(one => 'toolCallId' in one.chunk && one.chunk.toolCallId === call)
    if (last >= 0) return { place: last + 1 }
    return { place: chunks, problem: words().moments.callGone }
  }
  if (chunk === undefined || chunk <= chunks) return { place: chunk ?? chunks }
  return { place: chunks, problem: words().moments.tooFar(chunks) }
}

/** Keeps the page's address in step with the moment in view, so that users can copy and reload it. */
export function useAddress(player: ReplayPlayer, document: string, run: string): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let before = 0
    const stop = player.subscribe(() => {
      const { chunk, chunks, isPlaying } = player.position()
      clearTimeout(timer)
      // The first moment already has an address.
      if (chunks === 0 || isPlaying || before === chunk) return
      const isFirst = before === 0
      before = chunk
      if (isFirst) return
      timer = setTimeout(() => history.replaceState(null, '', momentHref(document, run, { chunk })), ADDRESS_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [player, document, run])
}
