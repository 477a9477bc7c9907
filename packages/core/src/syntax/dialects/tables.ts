import type { Opening } from '../markdown.ts'
import type { Marker } from './marker.ts'

/**
 * A dialect whose calls are a marker and JSON. With `{name}` in the marker the arguments follow it; without, an object
 * that has the name in it, several such objects, or a list of them.
 */
export interface JsonDialect {
  readonly name: string
  /** What begins a call. The longer of two that begin alike wins. */
  readonly open: readonly Marker[]
  /** What ends it; empty where the end of the JSON does. */
  readonly close: Marker
  /** What may stand around several calls. */
  readonly wrapper?: { readonly open: Marker; readonly close: Marker }
  /** The keys of a call's object, each under every name it has; the first is the one that is written. */
  readonly keys: {
    readonly name: readonly string[]
    readonly arguments: readonly string[]
    readonly id: readonly string[]
    /** Keys that say nothing. Any key that is not listed here is an error: it may be an argument in the wrong place. */
    readonly ignored: readonly string[]
  }
  /** Finds the tool's name in an id that the marker has in its place, as the group `name`. */
  readonly nameInId?: RegExp
  /** Where a call may begin in a line: `anywhere` by default. */
  readonly where?: Opening['where']
  /** The first words of fences in which calls are real. */
  readonly liveFences?: readonly string[]
  /** A call as it is written: `{call}` is the object, or `{name}`, `{id}` and `{arguments}` stand alone. */
  readonly write: string
  /** A result as it is written, `{result}` being an object, and the key of that object for the call's id. */
  readonly result: { readonly write: string; readonly id: string }
  /** What a server stops at, so that a model cannot write its own results. */
  readonly stop?: readonly string[] | undefined
  /** How calls are written, in words for a model. */
  readonly lesson: string
}

/**
 * A dialect whose calls are tags around their parameters, and whose values stand between tags as they are. A value that
 * contains its own closing tag is written in marked tags: the parameter's name and the closing tag get `#1`, `#2`, ….
 */
export interface TaggedDialect {
  readonly name: string
  /** What may stand around several calls, and is written around each. */
  readonly wrapper?: { readonly open: Marker; readonly close: Marker }
  readonly call: { readonly open: Marker; readonly close: Marker }
  /** `close` begins with `<` and has no other. */
  readonly parameter: { readonly open: Marker; readonly close: Marker }
  /** True where a value of one line is written on the line of its tags. */
  readonly inline: boolean
  /** The first words of fences in which calls are real. */
  readonly liveFences?: readonly string[]
  /** The lines around a result, which stands between them in a fence; `{name}`, `{id}` and `{status}` are filled. */
  readonly result: readonly [before: string, after: string]
  /** What a server stops at, so that a model cannot write its own results. */
  readonly stop?: readonly string[] | undefined
  /** How calls are written, in words for a model. */
  readonly lesson: string
}
