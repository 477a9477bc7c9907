import type { Opening } from '../reader/opening.ts'
import type { ReasoningMark } from '../reader/reasoning.ts'
import type { Marker } from './marker.ts'

/** What any dialect may have. */
export interface DialectTraits {
  /** The first words of fences in which calls are real. */
  readonly liveFences?: readonly string[] | undefined
  /** Calls are real in indented code too. */
  readonly liveIndents?: boolean | undefined
  /** Its calls are in HTML's `<code>`, which then hides nothing; only known tools count if tools are known. */
  readonly liveCode?: boolean | undefined
  /** Marks of reasoning that its models write, also within a line. */
  readonly reasoning?: readonly ReasoningMark[] | undefined
  /** Tokens of the template, which are not text: `<|im_end|>`. */
  readonly silent?: readonly string[] | undefined
  /**
   * Calls without a mark of their own count only with the name of a known tool. `unless listed`: if no tool is known, a list
   * of calls counts as well.
   */
  readonly knownOnly?: boolean | 'unless listed' | undefined
  /** What a server stops at, so that a model cannot write its own results. */
  readonly stop?: readonly string[] | undefined
}

/** A marker that begins a call only as the first thing of a line, or of the reply (after reasoning), or only of a known tool. */
export interface PlacedMarker {
  readonly mark: Marker
  readonly where: 'line' | 'start' | 'anywhere'
  /** It has the name of the tool in it, and begins a call only where that tool is known. */
  readonly known?: boolean
}

/**
 * A dialect whose calls are a marker and JSON. With `{name}` in the marker the arguments follow it; without, an object
 * that has the name in it, several such objects, or a list of them.
 */
export interface JsonDialect extends DialectTraits {
  readonly name: string
  /** What begins a call. The longer of two that begin alike wins; an empty one is the JSON itself. */
  readonly open: readonly (Marker | PlacedMarker)[]
  /** What ends it; empty where the end of the JSON does. Of several the first is written. */
  readonly close: Marker | readonly Marker[]
  /** What ends a call may be missing. */
  readonly closeOptional?: boolean
  /** What may be around several calls. */
  readonly wrapper?: MarkerPair | undefined
  /** What may be between two objects, where nothing ends a call: `;`. */
  readonly separator?: string
  /** The keys of a call's object, each under every name it has; the first is the one that is written. */
  readonly keys: {
    readonly name: readonly string[]
    readonly arguments: readonly string[]
    readonly id: readonly string[]
    /** Keys that say nothing. Any key that is not listed here is an error: it may be an argument in the wrong place. */
    readonly ignored: readonly string[]
  }
  /** The object has one key, the name, whose value is the arguments. */
  readonly nameAsKey?: boolean
  /** Finds the tool's name in an id that the marker has in its place: the group `name`, or `known` if there is such a tool. */
  readonly nameInId?: RegExp
  /** Where a call may begin in a line: `anywhere` by default. */
  readonly where?: Opening['where']
  /** A call as it is written: `{call}` is the object, or `{name}`, `{id}` and `{arguments}` on their own. */
  readonly write: string
  /** A result as it is written, `{result}` being an object, and the key of that object for the call's id. */
  readonly result: { readonly write: string; readonly id: string }
  /** How calls are written, in words for a model. */
  readonly lesson: string
}

/** What begins and what ends something. Of several, the first is the one that is written. */
export interface MarkerPair {
  readonly open: Marker | readonly Marker[]
  /** `{name}` is the name that `open` had. */
  readonly close: Marker | readonly Marker[]
  /** Nothing but `close` counts in the value, so it is written where the first pair cannot carry the value. */
  readonly escapes?: boolean
}

/**
 * A dialect whose calls are tags around their parameters, and whose values are between tags as they are. A value that
 * contains its own closing tag is written in marked tags: the parameter's name and the closing tag get `#1`, `#2`, ….
 */
export interface TaggedDialect extends DialectTraits {
  readonly name: string
  /** What may be around several calls, and is written around each. An opener that begins with a letter begins a line. */
  readonly wrapper?: MarkerPair | undefined
  /** Calls count only within what is around them. */
  readonly wrapped?: boolean
  readonly call: MarkerPair
  readonly parameter: MarkerPair | readonly MarkerPair[]
  /** True where a value of one line is written on the line of its tags. */
  readonly inline: boolean
  /** What the attributes of a parameter say of its value, and those that are written: ` string="true"`. */
  readonly attributes?: {
    read(attributes: string): 'string' | 'json' | undefined
    write(value: unknown): string
  }
  /** `nested`: members and items have tags of their own. */
  readonly values?: 'plain' | 'nested'
  /** The arguments may also be between the tags of the call as one JSON object. */
  readonly jsonBody?: boolean
  /** What begins a call is not a word of prose: the name of a known tool after it can only be a call. */
  readonly certain?: boolean
  /** The tags are named after tools: only known ones count, or, where none are known, those that are not HTML. */
  readonly namedAfterTools?: boolean
  /** The lines around a result, which is between them in a fence; `{name}`, `{id}` and `{status}` are filled. */
  readonly result: readonly [before: string, after: string]
  /** How calls are written, in words for a model. */
  readonly lesson: string
}

/** What begins the arguments of a call, what is between a name and its value, and what ends the arguments. */
export type CallForm = readonly [begin: string, assign: string, end: string]

/**
 * A dialect whose calls are written like those of a program: `read_file(path="a", line=12)`, several of them in a list or
 * one below the other.
 */
export interface KeywordDialect extends DialectTraits {
  readonly name: string
  /** What begins the calls; an empty one is the list itself. With `{name}` in it the arguments follow. */
  readonly open: readonly (Marker | PlacedMarker)[]
  /** What ends them; empty where the list does. */
  readonly close: Marker | readonly Marker[]
  /** Whether calls are in brackets. */
  readonly list: 'always' | 'maybe' | 'never'
  readonly call: CallForm
  /** The form that its models also write. A name may then be followed by what either form has between it and its value. */
  readonly otherCall?: CallForm
  /** A name may have others before it: `google:mcp:read_file`. */
  readonly namespaced?: boolean
  /** What is around strings, besides quotes. Keys may be strings then. */
  readonly delimiter?: string
  /** How `true` and `null` are written. */
  readonly words: 'python' | 'json'
  /** What is written before and after a call; `{name}` where the name belongs there. */
  readonly write: readonly [before: string, after: string]
  /** The lines around a result, as in `TaggedDialect`. */
  readonly result: readonly [before: string, after: string]
  /** How calls are written, in words for a model. */
  readonly lesson: string
}
