import type { Opening } from '../reader/opening.ts'
import type { ReasoningMark } from '../reader/reasoning.ts'
import type { Marker } from './marker.ts'

export interface DialectTraits {
  /** The first words of fences that may hold real calls. */
  readonly liveFences?: readonly string[] | undefined
  /** Indented code may hold real calls too. */
  readonly liveIndents?: boolean | undefined
  /** Calls are in HTML's `<code>`, which then hides nothing. If tools are known, only their calls apply. */
  readonly liveCode?: boolean | undefined
  /** Reasoning marks that its models write, also in the middle of a line. */
  readonly reasoning?: readonly ReasoningMark[] | undefined
  /** Template tokens, which aren't text: `<|im_end|>`. */
  readonly silent?: readonly string[] | undefined
  /**
   * Calls without their own mark apply only if they name a known tool. `unless listed`: if no tools are known, a list
   * of calls applies too.
   */
  readonly knownOnly?: boolean | 'unless listed' | undefined
  /** Where a server stops, so that a model can't write its own results. */
  readonly stop?: readonly string[] | undefined
}

/** A marker that begins a call only at the start of a line or reply (after reasoning), or only for a known tool. */
export interface PlacedMarker {
  readonly mark: Marker
  readonly where: 'line' | 'start' | 'anywhere'
  /** The marker contains the tool's name and begins a call only if that tool is known. */
  readonly known?: boolean
}

/**
 * A dialect whose calls are a marker and JSON. If the marker contains `{name}`, the arguments follow it. If not, an
 * object that contains the name follows, or several such objects, or a list of them.
 */
export interface JsonDialect extends DialectTraits {
  readonly name: string
  /** Begins a call. If two begin alike, the longer one wins. An empty marker is the JSON itself. */
  readonly open: readonly (Marker | PlacedMarker)[]
  /** Ends a call; empty if the end of the JSON does. The first of several is written. */
  readonly close: Marker | readonly Marker[]
  readonly closeOptional?: boolean
  /** May surround several calls. */
  readonly wrapper?: MarkerPair | undefined
  /** May separate two objects if nothing ends a call: `;`. */
  readonly separator?: string
  /** The keys of a call's object with all their names. The first name is written. */
  readonly keys: {
    readonly name: readonly string[]
    readonly arguments: readonly string[]
    readonly id: readonly string[]
    /** Keys without meaning. Any key not listed here is an error, because it may be a misplaced argument. */
    readonly ignored: readonly string[]
  }
  /** The object has one key: the name. Its value is the arguments. */
  readonly nameAsKey?: boolean
  /** Finds the tool's name in an id in the marker: the group `name`, or `known` if there is such a tool. */
  readonly nameInId?: RegExp
  /** Where in a line a call may begin: `anywhere` by default. */
  readonly where?: Opening['where']
  /** The template for a call: `{call}` is the object, or `{name}`, `{id}` and `{arguments}` separately. */
  readonly write: string
  /** The template for a result, with `{result}` as an object, and that object's key for the call's id. */
  readonly result: { readonly write: string; readonly id: string }
  /** Teaches a model to write calls. */
  readonly lesson: string
}

/** Markers that begin and end something. The first of several is written. */
export interface MarkerPair {
  readonly open: Marker | readonly Marker[]
  /** `{name}` is the name from `open`. */
  readonly close: Marker | readonly Marker[]
  /** Only `close` has meaning in the value, so this pair is written if the first one can't carry the value. */
  readonly escapes?: boolean
}

/**
 * A dialect whose calls are tags around their parameters, with unescaped values between tags. A value that contains its
 * own closing tag is written in marked tags: the parameter's name and the closing tag get `#1`, `#2`, ….
 */
export interface TaggedDialect extends DialectTraits {
  readonly name: string
  /** May surround several calls, and is written around each. An opener that begins with a letter must begin a line. */
  readonly wrapper?: MarkerPair | undefined
  /** Outside a wrapper, there are no calls. */
  readonly wrapped?: boolean
  readonly call: MarkerPair
  readonly parameter: MarkerPair | readonly MarkerPair[]
  /** A one-line value is written on the same line as its tags. */
  readonly inline: boolean
  /** What a parameter's attributes say about its value, and those that are written: ` string="true"`. */
  readonly attributes?: {
    read(attributes: string): 'string' | 'json' | undefined
    write(value: unknown): string
  }
  /** `nested`: members and items have their own tags. */
  readonly values?: 'plain' | 'nested'
  /** The arguments may also be one JSON object between the call's tags. */
  readonly jsonBody?: boolean
  /** A call's opener can't be prose, so followed by a known tool's name it can only be a call. */
  readonly certain?: boolean
  /** The tags are named after tools. Only known tools apply or, if none are known, names that aren't HTML elements. */
  readonly namedAfterTools?: boolean
  /** The lines around a result, which is in a fence between them. `{name}`, `{id}` and `{status}` are filled in. */
  readonly result: readonly [before: string, after: string]
  /** Teaches a model to write calls. */
  readonly lesson: string
}

/** What begins the arguments of a call, what separates a name from its value, and what ends the arguments. */
export type CallForm = readonly [begin: string, assign: string, end: string]

/**
 * A dialect whose calls look like function calls in code: `read_file(path="a", line=12)`. Several are in a list or on
 * separate lines.
 */
export interface KeywordDialect extends DialectTraits {
  readonly name: string
  /** Begins the calls. An empty marker is the list itself. If it contains `{name}`, the arguments follow. */
  readonly open: readonly (Marker | PlacedMarker)[]
  /** Ends the calls; empty if the list does. */
  readonly close: Marker | readonly Marker[]
  /** Whether calls are in brackets. */
  readonly list: 'always' | 'maybe' | 'never'
  readonly call: CallForm
  /** Another form that its models write. A name may then be followed by either form's separator. */
  readonly otherCall?: CallForm
  /** A name may have a path before it: `google:mcp:read_file`. */
  readonly namespaced?: boolean
  /** Surrounds strings, in addition to quotes. Keys may then be strings too. */
  readonly delimiter?: string
  /** How `true` and `null` are written. */
  readonly words: 'python' | 'json'
  /** What is written before and after a call, with `{name}` for the name. */
  readonly write: readonly [before: string, after: string]
  /** The lines around a result, as in `TaggedDialect`. */
  readonly result: readonly [before: string, after: string]
  /** Teaches a model to write calls. */
  readonly lesson: string
}
