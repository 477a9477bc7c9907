import { nearestNames } from '@argot/core/stream/internal'
import { quoted } from './quoted.ts'

/** ` Did you mean …?`, or nothing if no name is similar. */
export function didYouMean(name: unknown, names: Iterable<string>): string {
  const [nearest] = typeof name === 'string' ? nearestNames(name, names, 1) : []
  return nearest === undefined ? '' : ` Did you mean ${quoted(nearest)}?`
}
