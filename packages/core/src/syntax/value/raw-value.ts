import { fillMarker, getFirstCharacters, type Marker, MarkerSet } from '../generators/marker.ts'
import { CR, LF } from '../reader/char-codes.ts'
import type { Reader } from '../reader/reader.ts'

/**
 * What shows that a value was not closed: a closing tag of its call without an opener in the value, or the opener of a
 * parameter that the call lacks. Balanced pairs are content, because files about tool calls exist.
 */
export interface ValueWatch {
  /** Ends the call or its wrapper. */
  callClose: readonly Marker[]
  /** Begins a call or its wrapper. */
  callOpen: readonly Marker[]
  parameterOpen: readonly Marker[]
  /** Closes parameters of any name, if closing tags contain a name. Such a tag in a value that is cut is a mistake. */
  parameterClose: readonly Marker[]
  lacks(name: string): boolean
  /** True if `name` is this value's parameter and takes several values, so that it may follow itself. */
  repeats(name: string): boolean
  isUnknown(): boolean
  /** The closing tag contains the parameter's name, so pairs of other parameters can be content. */
  isNamed: boolean
}

/**
 * `closed`: by its tag. `cut`: it should have been closed earlier, and the reader has gone back there. `doubtful`: it
 * contains tags or pieces of tags that make its end unclear.
 */
export type ValueEnd = 'closed' | 'cut' | 'doubtful'

/**
 * Reads an unescaped value between two tags, up to its closing tag. One line break directly after the opening tag and
 * one directly before the closing tag are layout, not value. If the first is a bare LF, so is the second, so that a
 * value can end in CR.
 */
export class RawValue {
  /** The tags with a meaning in the value. Created only if anything besides the closing tag may occur. */
  #markers: MarkerSet | undefined
  #allMarkers: readonly Marker[] = []
  /** Empty if the closing tag isn't fixed text. */
  #plainClosing = ''
  #firstCharacters = '<'
  /** The closing tags come first in `#allMarkers`, then the watch's markers. */
  #closingCount = 0
  #watch: ValueWatch | undefined
  /** The offset of the current tag; -1 outside tags. */
  #tagStart = -1
  #isClosing = false
  /** A line break that is layout if the closing tag follows. */
  #tail = ''
  #isAtStart = true
  #afterLf = false
  /** Where the opening tag ended, and where the value begins and ends in the model's text. */
  #openEnd = 0
  #start = 0
  #end = 0
  /** Nothing from this offset on is sent, because the value may have ended here; -1 elsewhere. */
  #heldOffset = -1
  /** What makes the value doubtful from `#heldOffset` on. */
  #suspect: 'none' | 'call' | 'parameter' = 'none'
  /** The parameter whose opener that was. */
  #lostParameter = ''
  #depth = 0
  #hasOpener = false
  /** The value contains a parameter's opener, and the call's parameters are unknown. */
  #isStrange = false
  /** The characters that the markers continue with; empty if that can be any. */
  #secondCharacters = ''
  #closing: Marker | readonly Marker[] | undefined

  /** The value begins at the reader's position and ends at one of `closing`. */
  begin(reader: Reader, closing: Marker | readonly Marker[], watch?: ValueWatch): void {
    if (closing !== this.#closing || watch !== this.#watch) this.#prepare(closing, watch)
    this.#start = this.#openEnd = reader.offset
    this.#tagStart = this.#heldOffset = -1
    this.#tail = ''
    this.#isAtStart = true
    this.#afterLf = false
    this.#suspect = 'none'
    this.#depth = 0
    this.#hasOpener = this.#isStrange = false
  }

  #prepare(closing: Marker | readonly Marker[], watch: ValueWatch | undefined): void {
    const closings = typeof closing === 'string' ? [closing] : closing
    const all = [...closings]
    if (watch !== undefined)
      all.push(...watch.callClose, ...watch.callOpen, ...watch.parameterOpen, ...watch.parameterClose)
    const [first = ''] = closings
    this.#plainClosing = isFixedText(first) ? first : ''
    this.#allMarkers = all
    this.#markers = undefined
    this.#firstCharacters = getFirstCharacters(all)
    this.#secondCharacters = getSecondCharacters(all)
    this.#closingCount = closings.length
    this.#closing = closing
    this.#watch = watch
  }

  /** The complete value. Call it only after the value has ended. */
  text(reader: Reader): string {
    return reader.between(this.#start, this.#end)
  }

  /**
   * Whether the value begins right after its opening tag, and ends right before its closing tag, without a line break.
   */
  get touchesTags(): { start: boolean; end: boolean } {
    return { start: this.#start === this.#openEnd, end: this.#tail === '' }
  }

  /** Writes text into the open parameter. Returns how the value ended, or undefined while it continues. */
  read(reader: Reader): ValueEnd | undefined {
    if (this.#isAtStart) this.#readLayout(reader)
    while (reader.at < reader.text.length) {
      if (this.#tagStart < 0) this.#readContent(reader)
      if (this.#tagStart < 0) break
      const marker = this.#isClosing ? 0 : this.#markers?.read(reader)
      if (marker === undefined) break
      const end = marker < 0 ? this.#noTag(reader) : this.#take(reader, marker)
      if (end !== undefined) return end
    }
    return undefined
  }

  /** The text has ended. Returns true if the value ended earlier; the reader has then gone back there. */
  endsBefore(reader: Reader): boolean {
    if (this.#suspect !== 'call' || this.#hasOpener) return false
    if (this.#cut(reader) === 'cut') return true
    reader.at = reader.text.length
    return false
  }

  /**
   *   | <param:content>
   *                    ^
   */
  #readLayout(reader: Reader): void {
    const code = reader.text.charCodeAt(reader.at)
    if (code === LF) {
      reader.at++
      this.#afterLf = this.#tail === ''
      this.#start += this.#tail.length + 1
      this.#tail = ''
      this.#isAtStart = false
    } else if (code === CR && this.#tail === '') {
      this.#tail = '\r'
      if (++reader.at < reader.text.length) this.#readLayout(reader)
    } else this.#isAtStart = false
  }

  /** Up to the next character that may begin a tag. */
  #readContent(reader: Reader): void {
    const { text, at } = reader
    let end = this.#nextTag(text, at)
    while (
      end < text.length - 1 &&
      this.#secondCharacters !== '' &&
      !this.#secondCharacters.includes(text.charAt(end + 1))
    ) {
      end = this.#nextTag(text, end + 1)
    }
    if (end > at) this.#write(reader, text, at, end)
    reader.at = end
    if (end === text.length) return
    this.#tagStart = reader.offset
    this.#isClosing = this.#plainClosing !== '' && text.startsWith(this.#plainClosing, end)
    if (this.#isClosing) {
      reader.at += this.#plainClosing.length
      return
    }
    this.#markers ??= new MarkerSet(this.#allMarkers)
    this.#markers.begin()
  }

  #nextTag(text: string, at: number): number {
    if (this.#firstCharacters.length === 1) {
      const next = text.indexOf(this.#firstCharacters, at)
      return next < 0 ? text.length : next
    }
    let i = at
    while (i < text.length && !this.#firstCharacters.includes(text.charAt(i))) i++
    return i
  }

  /** What began like a tag is content. Its first character isn't read again. */
  #noTag(reader: Reader): undefined {
    reader.goBackTo(this.#tagStart)
    this.#write(reader, reader.text, reader.at, reader.at + 1)
    reader.at++
    this.#tagStart = -1
    return undefined
  }

  #take(reader: Reader, index: number): ValueEnd | undefined {
    const watch = this.#watch
    if (index < this.#closingCount) return this.#close(reader, this.#allMarkers[index] ?? '')
    if (watch === undefined) return this.#noTag(reader)
    const kind = index - this.#closingCount
    const { callClose, callOpen, parameterOpen } = watch
    if (kind < callClose.length) return this.#takeCallClose(reader)
    if (kind >= callClose.length + callOpen.length + parameterOpen.length) {
      if (this.#depth === 0 && this.#suspect !== 'parameter') this.#hasOpener = true
      return this.#pass(reader)
    }
    if (this.#suspect === 'call') return this.#cut(reader)
    if (kind < callClose.length + callOpen.length) this.#depth++
    else if (this.#depth === 0) {
      const name = this.#markers?.name ?? ''
      if (watch.lacks(name) || watch.repeats(name)) {
        if (this.#suspect === 'none') this.#lostParameter = name
        this.#hold('parameter')
        if (!watch.isNamed || watch.repeats(name)) return this.#cut(reader)
      } else {
        this.#hasOpener = true
        if (!watch.isNamed && watch.isUnknown()) this.#isStrange = true
      }
    }
    return this.#pass(reader)
  }

  #takeCallClose(reader: Reader): ValueEnd | undefined {
    if (this.#depth > 0) {
      this.#depth--
      return this.#pass(reader)
    }
    if (this.#suspect === 'parameter') return this.#cut(reader)
    this.#hold('call')
    return this.#pass(reader)
  }

  /** From this tag on, the value may have ended. */
  #hold(suspect: 'call' | 'parameter'): void {
    if (this.#suspect !== 'none') return
    this.#suspect = suspect
    this.#heldOffset = this.#tagStart
  }

  #pass(reader: Reader): undefined {
    const end = reader.offset
    this.#writeText(reader, reader.between(this.#tagStart, end))
    this.#tagStart = -1
    return undefined
  }

  /** The value ended where it became doubtful. */
  #cut(reader: Reader): ValueEnd {
    const at = this.#heldOffset
    reader.goBackTo(at)
    this.#heldOffset = -1
    // The tag's position among the blank lines at the end of the value can't be known.
    const value = reader.between(this.#start, at)
    if (value.trim() === '' || /\n\s*\n\s*$/.test(value.slice(-64))) return 'doubtful'
    if (this.#suspect === 'call' && this.#hasOpener) return 'doubtful'
    if (this.#allMarkers.slice(0, this.#closingCount).some(closing => endsInDebris(value, closing))) return 'doubtful'
    this.#finish(reader, at)
    return 'cut'
  }

  #close(reader: Reader, closing: Marker): ValueEnd {
    const at = this.#tagStart
    if (this.#suspect === 'call' || this.#isStrange) return 'doubtful'
    const before = reader.between(Math.max(this.#start, at - closing.length - 4), at).trimEnd()
    if (isFixedText(closing) && getHalves(closing).some(half => before.endsWith(half))) return 'doubtful'
    if (this.#heldOffset >= 0) {
      const tail = reader.between(this.#heldOffset, at)
      // The opener of a parameter that the call lacks is content only together with its closing tag.
      const pair = this.#watch?.parameterClose.map(close => fillMarker(close, { name: this.#lostParameter })) ?? []
      if (this.#suspect === 'parameter' && pair.length > 0 && !pair.some(close => tail.includes(close)))
        return 'doubtful'
      this.#heldOffset = -1
      this.#writeText(reader, tail)
    }
    this.#finish(reader, at)
    return 'closed'
  }

  #writeText(reader: Reader, text: string): void {
    if (text !== '') this.#write(reader, text, 0, text.length)
  }

  /** Writes a part of the value, except for a line break at its end. */
  #write(reader: Reader, text: string, from: number, end: number): void {
    if (this.#heldOffset >= 0) return
    let start = from
    if (this.#tail !== '') {
      if (this.#tail === '\r' && text.charCodeAt(start) === LF) {
        this.#tail = '\r\n'
        if (++start === end) return
      }
      reader.call?.write(this.#tail)
    }
    const code = text.charCodeAt(end - 1)
    if (code === CR) this.#tail = '\r'
    else if (code !== LF) this.#tail = ''
    else this.#tail = end - 1 > start && text.charCodeAt(end - 2) === CR ? '\r\n' : '\n'
    if (end - this.#tail.length > start) reader.call?.write(text, start, end - this.#tail.length)
  }

  /** The value ends at `at`. The line break before that was layout. */
  #finish(reader: Reader, at: number): void {
    this.#tagStart = -1
    this.#end = at - this.#tail.length
    if (this.#tail === '\r' || (this.#tail === '\r\n' && this.#afterLf)) {
      reader.call?.write('\r')
      this.#end++
    }
  }
}

/**
 * What remains of a closing tag that was written twice: all but its last character or, if it has no mark, the token it
 * begins with.
 */
export function getHalves(closing: Marker): string[] {
  const [token = ''] = /^<[|｜][^|｜<>]*[|｜]>(?=[^#]+$)/.exec(closing) ?? []
  return [closing.slice(0, -1), token].filter(half => half.length > 2)
}

/**
 * True for a value that ends with a possible remainder of its closing tag: `a.md>`, `a.md</param`, `a.mdparam:path>`.
 */
function endsInDebris(value: string, closing: Marker): boolean {
  const tail = value.slice(-256).replaceAll(/\s/g, '')
  const whole = closing.replaceAll(/\s/g, '')
  let common = 0
  while (common < whole.length && tail.at(-1 - common) === whole.at(-1 - common)) common++
  if (common > 2 || (common > 0 && !/<[^<>]*>$/.test(tail)) || /<\/?>\w*$/.test(tail)) return true
  for (let at = 0; at + MIN_COMMON_PIECE <= whole.length; at++) {
    const piece = whole.slice(at, at + MIN_COMMON_PIECE)
    if (/[<|[\]]/.test(piece) && tail.slice(-64).includes(piece)) return true
  }
  const [open = ''] = /<[^<>]*>?$/.exec(tail) ?? []
  return open.length > 1 && (whole.startsWith(open) || withoutSlash(open) === withoutSlash(whole))
}

/** A shorter piece of a closing tag may be a coincidence. */
const MIN_COMMON_PIECE = 6

function withoutSlash(tag: string): string {
  return tag.replace('/', '')
}

function isFixedText(marker: Marker): boolean {
  return !(marker.includes('{') || marker.includes('\n') || marker.includes(' ') || marker.includes('"'))
}

/** The second characters of the markers, if all of them begin with at least two fixed characters; otherwise empty. */
function getSecondCharacters(markers: readonly Marker[]): string {
  let seconds = ''
  for (const marker of markers) {
    const second = marker.charAt(1)
    if (second === '' || second === '{' || second === '\n' || second === ' ' || second === '"') return ''
    if (!seconds.includes(second)) seconds += second
  }
  return seconds
}
