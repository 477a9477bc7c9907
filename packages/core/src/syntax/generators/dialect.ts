import type { Grammar } from '../reader/reader.ts'
import type { Syntax } from '../syntax.ts'

/** A syntax that a model family was trained on. Its grammar can be combined with others. */
export interface Dialect extends Syntax {
  readonly grammar: Grammar
  /** The fixed text each kind of call begins with; empty if there is none. */
  readonly starts: readonly string[]
}
