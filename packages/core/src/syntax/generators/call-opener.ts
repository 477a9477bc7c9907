import type { Reader } from '../reader/reader.ts'
import type { State } from '../reader/states.ts'
import { type Marker, MarkerSet } from './marker.ts'
import type { PlacedMarker } from './tables.ts'

export interface CallOpener {
  /** The placeholders' values in the marker that was read. */
  readonly values: { readonly name: string; readonly id: string }
  /** Reads the marker that begins at the current character. */
  begin(): State
  /** Like `begin`, after characters that were already read. Goes back and returns undefined if they begin no marker. */
  beginAfter(prefix: string): State | undefined
}

/**
 * Reads the marker that a call begins with. `next` gets its index in `open`, or the length of `open` and more for one
 * of `others`. An empty marker is tried when no other matches. Without a match, or in the wrong place, it isn't a call.
 */
export function callOpener(
  reader: Reader,
  open: readonly (Marker | PlacedMarker)[],
  others: readonly Marker[],
  next: (index: number) => State,
): CallOpener {
  const marks = open.map(getMark)
  const places = open.map(getPlace)
  const emptyMark = marks.indexOf('')
  const markers = new MarkerSet([...marks.map(neverEmpty), ...others])
  let start = 0

  function begin(): State {
    start = reader.offset
    markers.begin()
    return openingMarker()
  }

  function beginAfter(prefix: string): State | undefined {
    start = reader.offset - prefix.length
    if (markers.beginWith(prefix, reader.offset)) return openingMarker
    reader.goBackTo(start)
    return undefined
  }

  function openingMarker(): State {
    let index = markers.read(reader)
    if (index === undefined) return openingMarker
    if (index < 0) {
      reader.goBackTo(start)
      index = emptyMark
    }
    if (index < 0) return reader.notCall()
    const place = places[index]
    if ((place === 'line' && !reader.atLineStart) || (place === 'start' && !reader.isFirst)) return reader.notCall()
    return next(index)
  }

  return { values: markers, begin, beginAfter }
}

export function getMark(entry: Marker | PlacedMarker): Marker {
  return typeof entry === 'string' ? entry : entry.mark
}

export function getPlace(entry: Marker | PlacedMarker): PlacedMarker['where'] {
  return typeof entry === 'string' ? 'anywhere' : entry.where
}

/** An empty marker would match anything. */
export function neverEmpty(mark: Marker): Marker {
  return mark === '' ? '\0' : mark
}
