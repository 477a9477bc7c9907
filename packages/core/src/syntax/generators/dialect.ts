import type { Grammar } from '../reader/reader.ts'
import type { Syntax } from '../syntax.ts'

/** A syntax that a model family was trained on. Its grammar can be read together with those of others. */
export interface Dialect extends Syntax {
  readonly grammar: Grammar
  /** The fixed text that each kind of its calls begins with; empty where there is none. */
  readonly starts: readonly string[]
}
